function camera = snapcube_camera(mask, varargin)
% SNAPCUBE_CAMERA  A CASSI camera: a coded aperture, a disperser, a detector that sums all bands.
%
%   camera = snapcube_camera(mask)
%   camera = snapcube_camera(mask, 'bands', 28, 'step', 2, 'axis', 'columns')
%   camera = snapcube_camera(mask, 'offsets', [0 1.9 3.7 5.4], 'wavelengths', [450 500 550 600])
%
% mask         the coded aperture, rows x columns, not negative
% bands        how many there are (28, or as many as offsets or wavelengths)
% step         pixels from one band to the next on the detector; of either sign (2)
% axis         in which direction the bands move: 'columns' or 'rows'
% offsets      measured position of each band in pixels, in place of the step; fractions are fine
% wavelengths  centre of each band in nm
%
% The result is a struct that can be saved. Beside these fields it has
%
% detector     rows and columns of its measurements
%
% See also snapcube_simulate, snapcube_reconstruct.
  camera = struct('mask', single(full(mask)), 'bands', [], 'step', 2, 'axis', 'columns', 'offsets', [], ...
                  'wavelengths', []);
  if mod(numel(varargin), 2) ~= 0
    error('snapcube:input', 'snapcube_camera: expected names and values in pairs');
  end
  for i = 1:2:numel(varargin)
    name = varargin{i};
    if ~ischar(name) || ~isfield(camera, name) || strcmp(name, 'mask')
      error('snapcube:input', 'snapcube_camera: expected bands, step, axis, offsets or wavelengths');
    end
    value = varargin{i + 1};
    if isnumeric(value)
      value = double(value);
    end
    camera.(name) = value;
  end
  if isempty(camera.bands)
    camera.bands = max([numel(camera.offsets), numel(camera.wavelengths)]);
    if camera.bands == 0
      camera.bands = 28;
    end
  end
  [offsets, detector] = snapcube_mex('camera', camera);
  if ~isempty(camera.offsets)
    camera.offsets = offsets;
  end
  camera.detector = detector;
end
