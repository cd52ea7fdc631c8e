function cube = snapcube_reconstruct(measurement, camera, method, varargin)
% SNAPCUBE_RECONSTRUCT  The cube behind a measurement.
%
%   cube = snapcube_reconstruct(measurement, camera)
%   cube = snapcube_reconstruct(measurement, camera, 'gap-tv', 'iterations', 60)
%   cube = snapcube_reconstruct(measurement, camera, 'my.safetensors', 'scale', 'max')
%
% measurement  detector rows x columns
% camera       as snapcube_camera makes it
% method       'gap-tv', 'twist', 'desci', a model's name or the path of its weights file; without one it is
%              the installed model for a camera of 28 bands two pixels apart along the columns, else GAP-TV
% ...          names and values of the method's parameters
%
% The cube is single, rows x columns x bands. Of a method that was used last, its memory and weights are kept.
%
% See also snapcube_camera, snapcube_simulate.
  if nargin < 2
    error('snapcube:input', 'snapcube_reconstruct: expected a measurement and a camera');
  end
  if nargin < 3
    method = '';
    usual = isstruct(camera) && isfield(camera, 'bands') && isequal(camera.bands, 28) && isempty(camera.offsets) ...
            && isequal(camera.step, 2) && strcmp(camera.axis, 'columns');
    if ~usual
      method = 'gap-tv';
    end
  end
  if mod(numel(varargin), 2) ~= 0
    error('snapcube:input', 'snapcube_reconstruct: expected names and values in pairs');
  end
  settings = cell(1, numel(varargin) / 2);
  for i = 1:numel(settings)
    name = varargin{2 * i - 1};
    value = varargin{2 * i};
    if ~ischar(name) || ~(ischar(value) || (isreal(value) && isscalar(value)))
      error('snapcube:input', 'snapcube_reconstruct: expected a name, and a number or a text');
    end
    if ~ischar(value)
      value = sprintf('%.17g', value);
    end
    settings{i} = [name '=' value];
  end
  cube = snapcube_mex('reconstruct', single(full(measurement)), camera, method, settings);
end
