package dev.millrace.server.dashboard;

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
 * The page as one document, with the headers that bind a browser to it: its own script and style run and no others, and it
 * asks no other server.
 */
final class DashboardPage {
    private final String text;
    private final Map<String, String> headers;

    DashboardPage() {
        String style = resource("page.css");
        String script = resource("common.js") + resource("requests.js") + resource("page.js");
        text = resource("page.html")
                .replace("/*STYLE*/", style)
                .replace("/*SCRIPT*/", script);
        headers = Map.of(
                "Content-Security-Policy",
                "default-src 'none'; script-src '" + digest(script) + "'; style-src '" + digest(style)
                        + "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                "X-Content-Type-Options",
                "nosniff",
                "Referrer-Policy",
                "no-referrer",
                "Cache-Control",
                "no-cache");
    }

    String text() {
        return text;
    }

    Map<String, String> headers() {
        return headers;
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
