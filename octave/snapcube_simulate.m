function measurement = snapcube_simulate(cube, camera, noise, seed)
% SNAPCUBE_SIMULATE  What a camera measures of a scene.
%
%   measurement = snapcube_simulate(cube, camera)
%   measurement = snapcube_simulate(cube, camera, 'shot11+gaussian:0.005', 7)
%
% cube    rows x columns x bands, of the camera's size
% camera  as snapcube_camera makes it
% noise   'none', or stages joined by '+': shot11, gaussian:SIGMA, poisson:PHOTONS, quantise:BITS
% seed    the same seed gives the same noise on every machine (1)
%
% The measurement is single, detector rows x columns.
%
% See also snapcube_camera, snapcube_reconstruct.
  if nargin < 2
    error('snapcube:input', 'snapcube_simulate: expected a cube and a camera');
  end
  if nargin < 3
    noise = 'none';
  end
  if nargin < 4
    seed = 1;
  end
  measurement = snapcube_mex('simulate', single(full(cube)), camera, noise, double(seed));
end
