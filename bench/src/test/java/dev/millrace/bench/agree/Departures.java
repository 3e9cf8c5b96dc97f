package dev.millrace.bench.agree;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** The known differences: each line of the file has a pattern of a trial with its result, and the reason. */
final class Departures {
    private final List<Pattern> all = new ArrayList<>();

    /** @param name the name of the file beside this class */
    static Departures read(String name) {
        var departures = new Departures();
        try (InputStream in = Objects.requireNonNull(Departures.class.getResourceAsStream(name))) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(departures::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return departures;
    }

    private void add(String line) {
        if (!line.isBlank() && !line.startsWith("#")) {
            int reason = line.indexOf(" || ");
            all.add(Pattern.compile(line.substring(0, reason)));
        }
    }

    /** Whether a difference is one of the known ones. */
    boolean explain(String difference) {
        return all.stream().anyMatch(pattern -> pattern.matcher(difference).find());
    }
}
