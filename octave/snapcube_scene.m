function cube = snapcube_scene(name, rows, columns, wavelengths, seed)
% SNAPCUBE_SCENE  A synthetic scene to try things with.
%
%   cube = snapcube_scene('chart', 128, 128)
%   cube = snapcube_scene('texture', 64, 96, linspace(450, 650, 8), 3)
%
% name         'chart', 'still-life', 'texture' or 'resolution'
% wavelengths  of its bands in nm, 380 ... 780; []: the 28 published ones
% seed         of what is random in it (1)
%
% The cube is single, rows x columns x bands, reflectances from 0 to 1.
%
% See also snapcube_mask, snapcube_simulate.
  if nargin < 4
    wavelengths = [];
  end
  if nargin < 5
    seed = 1;
  end
  cube = snapcube_mex('scene', name, double(rows), double(columns), double(wavelengths), double(seed));
end
