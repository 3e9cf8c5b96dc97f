package dev.millrace.inspect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * A page that draws a model: its graph with scopes and repeated layers folded, nested graphs, times of a run, and what the
 * engine made of it as tables. One file, that asks for nothing over the network.
 */
public final class GraphPage {
    private GraphPage() {}

    public static String of(Inspection inspection) {
        // inside of a script element only these two could end it
        String data =
                InspectionJson.of(inspection, true).replace("<", "\\u003c").replace("\u2028", "\\u2028");
        return resource("page.html")
                .replace("/*STYLE*/", resource("page.css"))
                .replace("/*LAYOUT*/", resource("layout.js"))
                .replace("/*PAGE*/", resource("page.js"))
                .replace("/*DATA*/", data);
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(GraphPage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
