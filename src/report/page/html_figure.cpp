#include "html.h"
#include "html_table.h"
#include "markup.h"
#include "svg.h"

namespace hta::report::page {
namespace {

void write_legend(const Plot& plot, Out& out) {
  const std::vector<LegendEntry> entries = legend_of(plot);
  if (entries.empty()) return;
  out << "<ul class=\"legend\">\n";
  for (const LegendEntry& entry : entries) {
    const std::string name = escaped(entry.name);
    out << "<li data-series=\"" << name << "\"><span><i class=\"f-" << tone_name(entry.tone) << "\"></i>" << name
        << "</span></li>\n";
  }
  out << "</ul>\n";
}

}  // namespace

void write_figure(const Figure& figure, std::string_view paths, Out& out) {
  const std::string id = escaped(figure.id);
  out << "<figure id=\"" << id << "\">\n<figcaption><h3>" << escaped(figure.title) << "</h3>\n<p"
      << (figure.plot ? ">" : " class=\"missing\">") << escaped(figure.caption) << "</p></figcaption>\n";
  if (figure.plot) {
    write_legend(*figure.plot, out);
    // The room is kept from the beginning, so that nothing moves when the interactive chart comes.
    out << "<div class=\"chart\" data-chart=\"" << id
        << "\" style=\"min-height:" << std::to_string(room_of(*figure.plot)) << "px\"><div class=\"static\">\n";
    write_svg(*figure.plot, figure.title + ". " + figure.caption, out);
    out << "</div></div>\n";
  }
  if (figure.excerpt) {
    out << "<details class=\"table\"><summary>Table: " << escaped(figure.excerpt->table->title()) << "</summary>\n";
    write_table(*figure.excerpt, kRowsInPage, paths, out);
    out << "</details>\n";
  }
  if (!figure.how.empty())
    out << "<details class=\"how\"><summary>How is this computed?</summary><p>" << escaped(figure.how)
        << "</p></details>\n";
  out << "</figure>\n";
}

}  // namespace hta::report::page
