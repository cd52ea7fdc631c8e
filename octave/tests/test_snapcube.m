% Run by octave-cli with the functions on its path; ends with code 1 where something is wrong.
function test_snapcube()
  tests = {@forward_model, @strides_of_matlab, @reconstruction, @model, @offsets, @double_and_logical, @errors, ...
           @help_texts, @seeds, @one_band, @the_page};
  for i = 1:numel(tests)
    feval(tests{i});
    printf('ok %s\n', func2str(tests{i}));
  end
end

function forward_model()
  mask = snapcube_mask(20, 24);
  assert(class(mask), 'single');
  assert(all(mask(:) == 0 | mask(:) == 1));
  camera = snapcube_camera(mask, 'bands', 5, 'step', 3);
  assert(camera.detector, [20 24 + 3 * 4]);
  cube = single(rand(20, 24, 5));
  y = zeros(20, 36);
  for b = 1:5
    columns = 3 * (b - 1) + (1:24);
    y(:, columns) = y(:, columns) + double(mask) .* double(cube(:, :, b));
  end
  assert(double(snapcube_simulate(cube, camera)), y, 1e-5);
end

function strides_of_matlab()
  % rows and columns are not mixed up: the same in the other direction gives the transposed measurement
  mask = single(rand(9, 13));
  cube = single(rand(9, 13, 4));
  columns = snapcube_simulate(cube, snapcube_camera(mask, 'bands', 4));
  rows = snapcube_simulate(permute(cube, [2 1 3]), snapcube_camera(mask', 'bands', 4, 'axis', 'rows'));
  assert(rows, columns', 1e-6);
end

function reconstruction()
  camera = snapcube_camera(snapcube_mask(48, 48), 'wavelengths', linspace(450, 650, 6));
  assert(camera.bands, 6);
  scene = snapcube_scene('chart', 48, 48, camera.wavelengths);
  y = snapcube_simulate(scene, camera);
  cube = snapcube_reconstruct(y, camera, 'gap-tv', 'iterations', 40);
  assert(size(cube), [48 48 6]);
  psnr = -10 * log10(mean((double(cube(:)) - double(scene(:))) .^ 2));
  assert(psnr > 20);
  assert(snapcube_reconstruct(y, camera), snapcube_reconstruct(y, camera, 'gap-tv'));
end

function model()
  camera = snapcube_camera(snapcube_mask(64, 64));
  scene = snapcube_scene('chart', 64, 64);
  y = snapcube_simulate(scene, camera);
  cube = snapcube_reconstruct(y, camera);
  assert(cube, snapcube_reconstruct(y, camera, 'cst-s'));
  assert(-10 * log10(mean((double(cube(:)) - double(scene(:))) .^ 2)) > 20);
end

function offsets()
  camera = snapcube_camera(ones(8, 8), 'offsets', [1 2.5 4]);
  assert(camera.bands, 3);
  assert(camera.offsets, [0 1.5 3], 1e-12);
  assert(camera.detector, [8 11]);
end

function double_and_logical()
  mask = rand(10, 12) > 0.5;
  cube = rand(10, 12, 3);
  a = snapcube_simulate(cube, snapcube_camera(mask, 'bands', 3));
  b = snapcube_simulate(single(cube), snapcube_camera(double(mask), 'bands', 3));
  assert(a, b);
end

function refused(call)
  try
    call();
  catch caught
    assert(caught.identifier, 'snapcube:input');
    return
  end
  error('nothing was refused by %s', func2str(call));
end

function errors()
  camera = snapcube_camera(ones(8, 10), 'bands', 3);
  cube = rand(8, 10, 3);
  y = snapcube_simulate(cube, camera);
  refused(@() snapcube_camera([]));
  refused(@() snapcube_camera(nan(3)));
  refused(@() snapcube_camera(-ones(3)));
  refused(@() snapcube_camera(ones(3, 3, 3)));
  refused(@() snapcube_camera(ones(3), 'bands', 2.5));
  refused(@() snapcube_camera(ones(3), 'bands', -1));
  refused(@() snapcube_camera(ones(3), 'bands', 'many'));
  refused(@() snapcube_camera(ones(3), 'axis', 'diagonal'));
  refused(@() snapcube_camera(ones(3), 'bands', 3, 'offsets', [1 2]));
  refused(@() snapcube_camera(ones(3), 'colour', 'red'));
  refused(@() snapcube_camera(ones(3), 'bands'));
  refused(@() snapcube_simulate(cube(:, :, 1:2), camera));
  refused(@() snapcube_simulate(cube + 1i, camera));
  refused(@() snapcube_simulate(cube, camera, 'loud'));
  refused(@() snapcube_simulate(cube, camera, 'none', -1));
  refused(@() snapcube_simulate(cube, 3));
  refused(@() snapcube_simulate(cube, struct()));
  refused(@() snapcube_reconstruct(y(:, 1:end - 1), camera));
  refused(@() snapcube_reconstruct(nan(size(y)), camera));
  refused(@() snapcube_reconstruct(y, camera, 'gap-vt'));
  refused(@() snapcube_reconstruct(y, camera, 'gap-tv', 'iteration', 3));
  refused(@() snapcube_reconstruct(y, camera, 'gap-tv', 'iterations'));
  refused(@() snapcube_mask(0, 3));
  refused(@() snapcube_mask(3, 3, 2));
  refused(@() snapcube_scene('nothing', 8, 8));
  refused(@() snapcube_mex());
  refused(@() snapcube_mex('nothing'));
  refused(@() snapcube_mex('simulate', cube));
  refused(@() snapcube_mex('simulate', {}, camera, 'none', 1));
  try
    snapcube_reconstruct(y(:, 1:end - 1), camera);
  catch caught
    assert(~isempty(strfind(caught.message, '8×13')) || ~isempty(strfind(caught.message, '8×14')));
  end
end

function help_texts()
  for name = {'snapcube_camera', 'snapcube_simulate', 'snapcube_reconstruct', 'snapcube_scene', 'snapcube_mask'}
    assert(~isempty(strfind(evalc(['help ' name{1}]), upper(name{1}))));
  end
  assert(~isempty(regexp(snapcube_version(), '^\d+\.\d+\.\d+$')));
end

function seeds()
  camera = snapcube_camera(snapcube_mask(16, 16), 'bands', 3);
  cube = rand(16, 16, 3);
  assert(snapcube_simulate(cube, camera, 'shot11', 7), snapcube_simulate(cube, camera, 'shot11', 7));
  assert(~isequal(snapcube_simulate(cube, camera, 'shot11', 7), snapcube_simulate(cube, camera, 'shot11', 8)));
end

function one_band()
  camera = snapcube_camera(snapcube_mask(16, 16), 'bands', 1);
  y = snapcube_simulate(rand(16, 16), camera);
  assert(size(snapcube_reconstruct(y, camera)), [16 16]);
end

function the_page()
  % the example of docs/octave.md, but for its first line and its picture
  page = fullfile(fileparts(mfilename('fullpath')), '..', '..', 'docs', 'octave.md');
  if ~exist(page, 'file')
    return  % the tests of the packages have no sources
  end
  code = regexp(fileread(page), '```matlab\n(.*?)```', 'tokens', 'once'){1};
  code = regexprep(code, '(addpath|imagesc)[^\n]*', '');
  eval(code);
  assert(size(cube), [128 128 28]);
end
