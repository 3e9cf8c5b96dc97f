package dev.millrace.bench.agree;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Differences that are known: on each line a pattern of file names, and a reason. */
final class Known {
    private final Map<Pattern, String> reasons = new LinkedHashMap<>();

    private Known() {}

    static Known none() {
        return new Known();
    }

    static Known read(Path file) throws IOException {
        var known = new Known();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                known.add(line.strip(), file);
            }
        }
        return known;
    }

    private void add(String line, Path file) {
        String[] parts = line.split("\\s+", 2);
        if (parts.length < 2) {
            throw EngineException.invalidArgument(file + " has a line without a reason: " + line);
        }
        try {
            reasons.put(Pattern.compile("(?:.*/)?(?:" + parts[0] + ")"), parts[1]);
        } catch (PatternSyntaxException e) {
            throw EngineException.invalidArgument(file + " has a pattern that is none: " + parts[0]);
        }
    }

    /** Why it is known that a model does not agree, or null. */
    @Nullable
    String reason(Row row) {
        if (row.verdict().isGood()) {
            return null;
        }
        String name = row.file().replace('\\', '/');
        for (Map.Entry<Pattern, String> entry : reasons.entrySet()) {
            if (entry.getKey().matcher(name).matches()) {
                return entry.getValue();
            }
        }
        return null;
    }
}
