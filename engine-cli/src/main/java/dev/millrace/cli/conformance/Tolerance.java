package dev.millrace.cli.conformance;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The allowed distance of a number from the expected one: {@code absolute + relative * |expected|}. */
public record Tolerance(double relative, double absolute) {
    /** The tolerance of the ONNX backend tests. */
    public static final Tolerance STANDARD = new Tolerance(1e-3, 1e-7);

    /** Returns the tolerance in a case's {@code data.json}, or the standard one for values that it lacks. */
    public static Tolerance of(BackendCase test) throws IOException {
        Path file = test.folder().resolve("data.json");
        if (!Files.isRegularFile(file)) {
            return STANDARD;
        }
        String text = Files.readString(file);
        return new Tolerance(number(text, "rtol", STANDARD.relative), number(text, "atol", STANDARD.absolute));
    }

    private static double number(String json, String key, double otherwise) {
        Matcher matcher =
                Pattern.compile("\"" + key + "\"\\s*:\\s*([-+0-9.eE]+)").matcher(json);
        if (!matcher.find()) {
            return otherwise;
        }
        try {
            return Double.parseDouble(matcher.group(1));
        } catch (NumberFormatException e) {
            throw EngineException.invalidArgument("data.json has a " + key + " that is no number: " + matcher.group(1));
        }
    }
}
