% Files as Octave writes them, for tests/io. Run in this folder: octave make_arrays.m
% The same cube as in make_arrays.py.
[y, x, b] = ndgrid (0:5, 0:6, 0:3);
code = mod (31 * b + 7 * y + 3 * x, 251);
cube = single (code / 250);
whole = code;               % doubles that are whole numbers: stored as bytes
u8 = uint8 (code);
u16 = uint16 (code * 257);
mask = mod (code(:, :, 1), 2) == 0;
wavelength = [450 500 550 650];
save ("-v6", "octave_v6.mat", "cube", "whole", "u8", "u16", "mask", "wavelength");
save ("-v7", "octave_v7.mat", "cube", "whole", "u8", "u16", "mask", "wavelength");
save ("-hdf5", "octave.h5", "cube");
save ("-text", "octave_text.mat", "cube");
