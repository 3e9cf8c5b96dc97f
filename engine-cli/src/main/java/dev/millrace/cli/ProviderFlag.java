package dev.millrace.cli;

import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The flag by which commands let providers be chosen. */
public final class ProviderFlag {
    @Option(
            names = "--provider",
            paramLabel = "NAME",
            split = ",",
            description = "A provider to use, in the order in which they are asked; by default all there are. Options"
                    + " follow its name: simd:tune=true measures ways of doing the same where there are several.")
    private List<String> texts = new ArrayList<>();

    /** The providers as they were given, in the order in which they are asked; empty for all that there are. */
    public List<String> texts() {
        return texts;
    }

    /** Adds the given providers to the options of a session. */
    public void addTo(SessionOptions.Builder options) {
        texts.forEach(text -> add(text, options));
    }

    /** Adds one provider to the options of a session, as it was given: its name, followed by its options. */
    public static void add(String text, SessionOptions.Builder options) {
        int end = text.indexOf(':');
        options.provider(end < 0 ? text : text.substring(0, end), options(text));
    }

    /** Returns the options behind a provider's name: {@code :KEY=VALUE}, once or several times. */
    private static Map<String, String> options(String text) {
        Map<String, String> options = new LinkedHashMap<>();
        String[] parts = text.split(":", -1);
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            if (equals <= 0) {
                throw new UsageException(
                        "--provider " + text + ": an option of a provider is KEY=VALUE, and not '" + parts[i] + "'");
            }
            options.put(parts[i].substring(0, equals), parts[i].substring(equals + 1));
        }
        return options;
    }
}
