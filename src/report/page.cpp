#include "report/page.h"

#include <fmt/format.h>

#include "report/method_column.h"
#include "report/svg.h"

namespace snapcube {

namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; font: 15px/1.5 "Source Sans 3", "Helvetica Neue", Helvetica, Arial, "Noto Sans", sans-serif; }
body { max-width: 1180px; margin: 0 auto; padding: 40px 28px 60px; color: #1c1e21; background: #fff; }
h1 { margin: 0 0 4px; font-size: 28px; letter-spacing: -0.01em; }
h2 { margin: 52px 0 14px; padding-top: 14px; border-top: 1px solid #d5d9de; font-size: 20px; }
.note, .lead { color: #5b636d; }
.lead { margin: 0 0 28px; }
.note { margin: 8px 0 0; font-size: 13px; }
.holder { overflow-x: auto; }
table.scores { border-collapse: collapse; border-top: 2px solid #1c1e21; border-bottom: 2px solid #1c1e21; font-variant-numeric: tabular-nums; }
.scores th, .scores td { padding: 6px 14px; text-align: center; font-weight: 400; white-space: nowrap; line-height: 1.35; }
.scores thead th { border-bottom: 1px solid #1c1e21; }
.scores th:first-child { text-align: left; padding-left: 6px; }
.scores tbody tr + tr > * { border-top: 1px solid #e6e9ec; }
.scores .mean { background: #f4f6f8; }
.scores b { font-weight: 700; }
.top { display: flex; flex-wrap: wrap; gap: 20px; align-items: end; margin-bottom: 18px; }
.top figure { flex: 1 1 220px; max-width: 300px; }
.top .plot { flex: 1.4 1 280px; max-width: 460px; }
figure { margin: 0; }
figcaption { color: #5b636d; font-size: 13px; margin-top: 4px; }
.grid { display: grid; grid-template-columns: 84px repeat(var(--columns), minmax(0, 1fr)); gap: 4px; align-items: center; }
.grid .head { text-align: center; font-size: 13px; color: #3b424b; }
.grid .side { font-size: 13px; line-height: 1.45; font-variant-numeric: tabular-nums; color: #5b636d; overflow-wrap: anywhere; }
.grid .side b { display: block; color: #1c1e21; }
.grid .legend { color: #5b636d; font-size: 12px; text-align: center; line-height: 1.3; }
.picture { display: block; width: 100%; height: auto; background: #000; }
.pixels { image-rendering: pixelated; }
.scale { display: block; width: 220px; max-width: 100%; margin: 6px auto 0; }
svg text { font-family: inherit; }
.scale text { font-size: 14px; fill: #5b636d; }
.plot { display: block; width: 100%; }
.figure { max-width: 700px; }
@media print {
  body { padding: 0; max-width: none; }
  section { break-before: page; }
  h2 { border: 0; margin-top: 0; }
  * { print-color-adjust: exact; }
}
)";

}  // namespace

std::string report_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
      "'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{3}</body>\n</html>\n",
      html_text(title), kStyle, plot_style(), body);
}

}  // namespace snapcube
