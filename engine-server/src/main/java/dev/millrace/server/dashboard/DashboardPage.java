package dev.millrace.server.dashboard;

import dev.millrace.inspect.GraphPage;
import dev.millrace.server.rest.HttpAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;

/**
 * A page as one document, with the headers that bind a browser to it: its own script and style run and no others, and it asks
 * no other server.
 */
final class DashboardPage {
    private final String text;
    private final Map<String, String> headers;

    private DashboardPage(String text) {
        this.text = text;
        headers = Map.of(
                "Content-Security-Policy",
                "default-src 'none'; script-src '" + digest(element("script")) + "'; style-src '"
                        + digest(element("style"))
                        + "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options",
                "nosniff",
                "Referrer-Policy",
                "no-referrer",
                "Cache-Control",
                "no-cache");
    }

    /** Returns the page of models and requests. */
    static DashboardPage models() {
        return new DashboardPage(resource("page.html")
                .replace("/*STYLE*/", resource("page.css"))
                .replace("/*SCRIPT*/", resource("common.js") + resource("requests.js") + resource("page.js")));
    }

    /** Returns the page that draws the graph of a model. */
    static DashboardPage graph() {
        return new DashboardPage(GraphPage.asking(resource("common.js") + resource("graph.js")));
    }

    HttpAnswer answer() {
        return HttpAnswer.text("text/html; charset=utf-8", text, headers);
    }

    /** Returns the text of the only element of this name. */
    private String element(String name) {
        String start = "<" + name + ">";
        return text.substring(text.indexOf(start) + start.length(), text.indexOf("</" + name + ">"));
    }

    /** Returns the digest by which a policy of content names an element's text. */
    private static String digest(String element) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(element.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(DashboardPage.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
