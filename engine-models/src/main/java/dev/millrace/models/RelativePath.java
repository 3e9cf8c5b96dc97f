package dev.millrace.models;

import dev.millrace.graph.EngineException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Paths with slashes that stay below the folder that they are relative to, on every system. */
final class RelativePath {
    private static final String REFUSED = "\\:*?\"<>|";

    private RelativePath() {}

    static String check(String path) {
        for (String part : path.split("/", -1)) {
            boolean isPlain = !part.isEmpty()
                    && !part.equals(".")
                    && !part.equals("..")
                    && part.chars().noneMatch(each -> each < ' ' || each == 127 || REFUSED.indexOf(each) >= 0);
            if (!isPlain) {
                throw EngineException.invalidArgument(
                        "'" + path + "' is no path below a source of models: parts between slashes are plain names");
            }
        }
        return path;
    }

    /** Returns a path as it stands in an address. */
    static String encoded(String path) {
        return Arrays.stream(path.split("/")).map(RelativePath::encodedPart).collect(Collectors.joining("/"));
    }

    /** Returns a text as one part of an address, with its slashes encoded. */
    static String encodedPart(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the path of a file that another one names relative to its own folder. */
    static String beside(String path, String location) {
        int slash = path.lastIndexOf('/');
        String folder = slash < 0 ? "" : path.substring(0, slash + 1);
        var parts = new ArrayDeque<String>();
        for (String part : location.replace('\\', '/').split("/")) {
            if (part.equals("..")) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.addLast(part);
            }
        }
        return check(folder + String.join("/", parts));
    }
}
