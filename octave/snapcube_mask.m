function mask = snapcube_mask(rows, columns, density, seed)
% SNAPCUBE_MASK  A random coded aperture.
%
%   mask = snapcube_mask(256, 256)
%   mask = snapcube_mask(256, 256, 0.4, 7)
%
% Pixels are 1 with probability density (0.5), else 0. The same seed (1) gives the same mask on every machine.
%
% See also snapcube_camera, snapcube_scene.
  if nargin < 3
    density = 0.5;
  end
  if nargin < 4
    seed = 1;
  end
  mask = snapcube_mex('mask', double(rows), double(columns), double(density), double(seed));
end
