package dev.millrace.cli.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The cases that nobody can pass by computing, with the reason: a pattern and a reason on each line of a resource. */
final class Skips {
    private final Map<Pattern, String> reasons = new LinkedHashMap<>();

    private Skips() {}

    static Skips read() {
        var skips = new Skips();
        try (InputStream in = Objects.requireNonNull(Skips.class.getResourceAsStream("skips.txt"));
                var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                if (space > 0 && !line.startsWith("#")) {
                    skips.reasons.put(
                            Pattern.compile(line.substring(0, space)),
                            line.substring(space).strip());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return skips;
    }

    @Nullable
    String reason(BackendCase test) {
        for (Map.Entry<Pattern, String> entry : reasons.entrySet()) {
            if (entry.getKey().matcher(test.name()).matches()) {
                return entry.getValue();
            }
        }
        return null;
    }
}
