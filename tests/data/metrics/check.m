% The uint8 values and UIQI of expected.tsv again, with Octave alone (no packages):
%   octave --quiet check.m
% UIQI here is by the sums of its authors' program; make_metrics.py uses means and variances.
1;

function [image, truth] = make_pair(bands, height, width)
  state = 12345;
  for b = 0:bands-1
    for y = 0:height-1
      for x = 0:width-1
        state = mod(state * 1664525 + 1013904223, 2^32);
        noise = state / 2^32 - 0.5;
        t = mod(x * (b + 3) + y * (2 * b + 1), 37) / 36 * 1.2 - 0.1;
        i = t + 0.3 * noise;
        if mod(floor(x / 4) + floor(y / 4), 5) == 0
          i = t;
        end
        if mod(x + y, 11) == 0 && x > y
          if mod(y, 3) ~= 0, t = 0; end
          if mod(y, 3) ~= 1, i = 0; end
        end
        image(y+1, x+1, b+1) = double(single(i));
        truth(y+1, x+1, b+1) = double(single(t));
      end
    end
  end
end

function v = psnr(p, q)
  mse = mean((p(:) - q(:)).^2);
  v = 100;
  if mse > 0, v = 10 * log10(255^2 / mse); end
end

function v = ssim(p, q)
  r = exp(-(-5:5).^2 / (2 * 1.5^2));
  w = r' * r / sum(r)^2;
  m = @(a) conv2(a, w, 'valid');
  c1 = (0.01 * 255)^2;
  c2 = (0.03 * 255)^2;
  map = (2 * m(p) .* m(q) + c1) .* (2 * (m(p .* q) - m(p) .* m(q)) + c2) ./ ...
        ((m(p).^2 + m(q).^2 + c1) .* (m(p.^2) - m(p).^2 + m(q.^2) - m(q).^2 + c2));
  v = mean(map(:));
end

function v = uiqi(p, q)
  s = @(a) conv2(a, ones(32), 'valid');
  n = 1024;
  product = s(p) .* s(q);
  means = s(p).^2 + s(q).^2;
  map = 4 * (n * s(p .* q) - product) .* product ./ ((n * s(p.^2 + q.^2) - means) .* means);
  v = mean(map(:));
end

sizes = [1 1 1; 2 7 5; 1 11 11; 3 13 17; 2 32 32; 4 37 41; 1 127 33];
file = fopen('expected.tsv');
lines = textscan(file, '%d %d %d %s %s %s %f', 'Delimiter', "\t", 'CommentStyle', '#');
fclose(file);
worst = 0;
compared = 0;
for i = 1:rows(sizes)
  [image, truth] = make_pair(sizes(i, 1), sizes(i, 2), sizes(i, 3));
  levels = @(a) round(255 * min(max(a, 0), 1));
  mine = lines{1} == sizes(i, 1) & lines{2} == sizes(i, 2) & lines{3} == sizes(i, 3) & strcmp(lines{6}, '-');
  for k = find(mine)'
    values = [];
    for b = 1:size(image, 3)
      p = image(:, :, b);
      q = truth(:, :, b);
      if strcmp(lines{5}{k}, 'uint8')
        values(b) = feval(lines{4}{k}, levels(p), levels(q));
      elseif strcmp(lines{4}{k}, 'uiqi')
        values(b) = uiqi(p, q);
      end
    end
    if ~isempty(values)
      worst = max(worst, abs(mean(values) / lines{7}(k) - 1));
      compared += 1;
    end
  end
end
printf('%d values, largest relative difference %g\n', compared, worst);
