import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Checks or corrects the format of Java sources: `FormatJava check|apply FOLDER…`. Folders named target are skipped.
///
/// The formatter parses with the javac of the JVM it runs in. So it runs here, in the JDK that compiles the
/// sources, and not inside Maven, whose JVM may be older than the language.
final class FormatJava {
    private static final int COLUMNS = 120;
    private static final String NOT_FORMATTED = "not formatted ";

    private FormatJava() {}

    public static void main(String[] args) throws IOException {
        boolean apply = args[0].equals("apply");
        var files = new ArrayList<Path>();
        for (int i = 1; i < args.length; i++) {
            files.addAll(sources(Path.of(args[i]).normalize()));
        }
        List<String> problems = files.parallelStream()
                .flatMap(file -> format(file, apply).stream())
                .sorted()
                .toList();
        problems.forEach(System.err::println);
        if (problems.stream().anyMatch(each -> each.startsWith(NOT_FORMATTED))) {
            System.err.println("To format everything: mvn -q -Pformat validate");
        }
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    /** Checks or corrects a file, and returns what is wrong with it. A formatter serves one thread. */
    private static Optional<String> format(Path file, boolean apply) {
        var formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .build());
        try {
            String before = Files.readString(file);
            try {
                String after = formatter.formatSourceAndFixImports(before);
                if (after.equals(before)) {
                    return Optional.empty();
                }
                if (!apply) {
                    return Optional.of(NOT_FORMATTED + file + ":" + firstDifference(before, after));
                }
                Files.writeString(file, after);
                System.out.println("formatted " + file);
                return Optional.empty();
            } catch (FormatterException e) {
                return Optional.of("cannot format " + file + ": " + reason(before, e));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var files = Files.walk(folder)) {
            return files.filter(f -> f.toString().endsWith(".java"))
                    .filter(f -> !folder.relativize(f).toString().matches("(.*[/\\\\])?target[/\\\\].*"))
                    .sorted()
                    .toList();
        }
    }

    /// Returns the number of the first line that differs, and how it should read.
    private static String firstDifference(String before, String after) {
        var is = before.lines().toList();
        var should = after.lines().toList();
        int line = 0;
        while (line < is.size() && line < should.size() && is.get(line).equals(should.get(line))) {
            line++;
        }
        return (line + 1) + ": should be: " + (line < should.size() ? should.get(line) : "the end of the file");
    }

    /// Returns the reason why the formatter fails: its own message, or a known limitation that it does not report.
    private static String reason(String source, FormatterException e) {
        var lines = source.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (line.length() > COLUMNS && line.strip().startsWith("///")) {
                return "line " + (i + 1) + ": a /// line is longer than " + COLUMNS + " columns";
            }
            if (line.startsWith("import module ")) {
                return "line " + (i + 1) + ": the formatter does not know module imports";
            }
            if (line.matches(".*[(,] ?_[,)].*")) {
                return "line " + (i + 1) + ": the formatter does not know a bare _ in a record pattern, write var _ ("
                        + e.getMessage() + ")";
            }
        }
        return String.valueOf(e.getMessage());
    }
}
