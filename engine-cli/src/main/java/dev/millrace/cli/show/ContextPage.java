package dev.millrace.cli.show;

import dev.millrace.epcontext.ContextInfo;

/** A page that draws who shares what: a row for each segment of a context binary, a column for each graph. No network. */
public final class ContextPage {
    private final StringBuilder page = new StringBuilder();

    private ContextPage() {}

    public static String of(ContextInfo info) {
        var page = new ContextPage();
        page.head(info);
        info.binaries().forEach(page::table);
        page.page.append("</body></html>\n");
        return page.page.toString();
    }

    private void head(ContextInfo info) {
        String title = escaped(String.valueOf(info.model().getFileName()));
        page.append("""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>%s</title>
            <style>
            body { font: 13px system-ui, sans-serif; margin: 16px; color: #222; background: #fff }
            table { border-collapse: collapse; margin-bottom: 16px }
            td, th { padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd }
            td.used { background: #4c78a8 }
            td.shared { background: #f58518 }
            .trouble { color: #c00 }
            </style></head><body><h1>%s</h1>
            """.formatted(title, title));
    }

    private void table(ContextInfo.Binary binary) {
        page.append("<h2>").append(escaped(binary.name())).append("</h2>\n");
        if (!binary.trouble().isEmpty()) {
            page.append("<p class=\"trouble\">")
                    .append(escaped(binary.trouble()))
                    .append("</p>\n");
        }
        page.append("<table><tr><th>segment</th><th>bytes</th><th>in the source</th>");
        binary.graphs()
                .forEach(graph ->
                        page.append("<th>").append(escaped(graph.partition())).append("</th>"));
        page.append("</tr>\n");
        for (ContextInfo.Segment segment : binary.segments()) {
            boolean shared = ContextInfo.users(binary, segment.number()).size() > 1;
            page.append("<tr><td>").append(segment.number()).append("</td><td>");
            page.append(SessionText.bytes(segment.bytes())).append("</td><td>");
            page.append(segment.named() == null ? "" : escaped(segment.named().toString()))
                    .append("</td>");
            for (ContextInfo.CompiledPart graph : binary.graphs()) {
                boolean used = graph.segments().contains(segment.number());
                String kind = used ? shared ? " class=\"shared\"" : " class=\"used\"" : "";
                page.append("<td").append(kind).append("></td>");
            }
            page.append("</tr>\n");
        }
        page.append("</table>\n");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
