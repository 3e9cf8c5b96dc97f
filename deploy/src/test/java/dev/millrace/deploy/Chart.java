package dev.millrace.deploy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/**
 * The Helm chart, whose templates use a part of Helm's language: values, {@code if} and {@code not}, and the functions
 * {@code default}, {@code quote}, {@code toYaml}, {@code nindent}, {@code sha256sum} and {@code add}. Anything else is an error here.
 */
record Chart(Path folder) {
    private static final Pattern ACTION = Pattern.compile("\\{\\{-? (.*?) ?-?}}");

    static Chart read() {
        return new Chart(Path.of("helm", "millrace"));
    }

    /** Returns a document of YAML as a tree. */
    static Object yaml(String text) {
        return new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    @SuppressWarnings("unchecked") // a document of the chart is an object
    static Map<String, Object> object(@Nullable Object tree) {
        return (Map<String, Object>) Objects.requireNonNull(tree);
    }

    String file(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    Map<String, Object> values() throws IOException {
        return object(yaml(file("values.yaml")));
    }

    /** Returns the objects of the templates that are not empty with these values, by their kinds. */
    Map<String, Map<String, Object>> render(Map<String, Object> values) throws IOException {
        Map<String, Object> root = Map.of(
                "Values",
                values,
                "Release",
                Map.of("Name", "mill"),
                "Chart",
                capitalised(object(yaml(file("Chart.yaml")))));
        var objects = new LinkedHashMap<String, Map<String, Object>>();
        try (Stream<Path> templates = Files.list(folder.resolve("templates"))) {
            for (Path template : templates.sorted().toList()) {
                String text = new Rendering(root).text(Files.readAllLines(template));
                if (!text.isBlank()) {
                    Map<String, Object> tree = object(yaml(text));
                    objects.put(String.valueOf(tree.get("kind")), tree);
                }
            }
        }
        return objects;
    }

    /** Returns the keys as templates name them: appVersion is AppVersion. */
    private static Map<String, Object> capitalised(Map<String, Object> chart) {
        var capitalised = new LinkedHashMap<String, Object>();
        chart.forEach((key, value) -> capitalised.put(Character.toUpperCase(key.charAt(0)) + key.substring(1), value));
        return capitalised;
    }

    /** One rendering of a template. */
    private static final class Rendering {
        private final Map<String, Object> root;
        private final Deque<Boolean> conditions = new ArrayDeque<>();

        Rendering(Map<String, Object> root) {
            this.root = root;
        }

        String text(List<String> lines) {
            var text = new StringBuilder();
            for (String line : lines) {
                Matcher only = ACTION.matcher(line.strip());
                String action = only.matches() ? only.group(1) : "";
                if (action.startsWith("if ")) {
                    conditions.push(isTrue(condition(action.substring(3))));
                } else if (action.equals("end")) {
                    conditions.pop();
                } else if (!conditions.contains(false)) {
                    // an action that stands alone brings the line break before its lines
                    String rendered = ACTION.matcher(line)
                            .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(pipe(found.group(1)))));
                    text.append(rendered.strip().isEmpty() ? rendered.strip() : rendered)
                            .append('\n');
                }
            }
            if (!conditions.isEmpty()) {
                throw new IllegalStateException("an if has no end");
            }
            return text.toString();
        }

        private @Nullable Object condition(String words) {
            return words.startsWith("not ") ? (Object) !isTrue(value(words.substring(4))) : value(words);
        }

        private static boolean isTrue(@Nullable Object value) {
            return !(value == null
                    || value.equals(false)
                    || value.equals("")
                    || value.equals(0)
                    || value instanceof List<?> list && list.isEmpty()
                    || value instanceof Map<?, ?> map && map.isEmpty());
        }

        private @Nullable Object pipe(String expression) {
            Object value = null;
            boolean isFirst = true;
            for (String stage : expression.split(" \\| ")) {
                var words = new ArrayList<>(Arrays.asList(stage.strip().split(" ")));
                value = isFirst && words.size() == 1 ? value(words.getFirst()) : call(words, value);
                isFirst = false;
            }
            return value;
        }

        private @Nullable Object call(List<String> words, @Nullable Object piped) {
            List<@Nullable Object> arguments = new ArrayList<>();
            words.stream().skip(1).map(this::value).forEach(arguments::add);
            return switch (words.getFirst()) {
                case "quote" -> '"' + String.valueOf(piped) + '"';
                case "default" -> isTrue(piped) ? piped : arguments.getFirst();
                case "add" ->
                    arguments.stream()
                            .mapToInt(each -> (Integer) Objects.requireNonNull(each))
                            .sum();
                case "sha256sum" -> sha256(String.valueOf(piped));
                case "toYaml" -> dumped(arguments.getFirst());
                case "nindent" -> {
                    String indent = " ".repeat((Integer) Objects.requireNonNull(arguments.getFirst()));
                    yield "\n"
                            + String.valueOf(piped)
                                    .lines()
                                    .map(each -> indent + each)
                                    .reduce((a, b) -> a + "\n" + b)
                                    .orElse("");
                }
                default -> throw new IllegalStateException("a function that is not known: " + words);
            };
        }

        private static String sha256(String text) {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        private static String dumped(@Nullable Object tree) {
            var settings =
                    DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
            return new Dump(settings).dumpToString(tree).strip();
        }

        private @Nullable Object value(String word) {
            if (word.chars().allMatch(Character::isDigit)) {
                return Integer.valueOf(word);
            }
            if (!word.startsWith(".")) {
                throw new IllegalStateException("neither a value nor a number: " + word);
            }
            Object at = root;
            for (String name : word.substring(1).split("\\.")) {
                Map<String, Object> map = object(at);
                if (!map.containsKey(name)) {
                    throw new IllegalStateException("there is no value " + word);
                }
                at = map.get(name);
            }
            return at;
        }
    }
}
