package dev.millrace.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A page that draws a model: its graph with scopes and repeated layers folded, nested graphs, times of a run, and what the
 * engine made of it as tables. One file, without any library.
 */
public final class GraphPage {
    private GraphPage() {}

    /** Returns the page of a model, which asks for nothing over the network. */
    public static String of(Inspection inspection) {
        // inside of a script element only these two could end it
        String data = InspectionJson.of(inspection, Integer.MAX_VALUE)
                .replace("<", "\\u003c")
                .replace("\u2028", "\\u2028");
        return page(
                "<script type=\"application/json\" id=\"data\">" + data + "</script>",
                "showModel(JSON.parse(document.getElementById('data').textContent));");
    }

    /**
     * Returns a page without a model.
     *
     * @param script gets the description of a model, an {@link InspectionJson}, and calls the function {@code showModel} with it
     */
    public static String asking(String script) {
        return page("", script);
    }

    private static String page(String data, String script) {
        return resource("page.html")
                .replace("/*STYLE*/", resource("page.css"))
                .replace("/*LAYOUT*/", resource("layout.js"))
                .replace("/*PAGE*/", resource("page.js"))
                .replace("/*BEGIN*/", script)
                .replace("<!--DATA-->", data);
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(GraphPage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
