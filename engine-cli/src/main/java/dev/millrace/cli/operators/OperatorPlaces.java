package dev.millrace.cli.operators;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Places in the sources where an operator is described, inferred, rewritten and computed, found by its name. */
public final class OperatorPlaces {
    private static final String JAVA = "src/main/java/dev/millrace/";
    private static final Path DESCRIPTIONS = Path.of("engine-graph/src/main/resources/dev/millrace/graph/op");
    private static final Path RULES = Path.of("engine-providers/simd", JAVA + "providers/simd/rule");
    private static final Path NAMES = Path.of("engine-graph", JAVA + "graph/op/OpName.java");

    private static final Pattern CASE = Pattern.compile("\\bcase\\s+([^;{}]*?)->");
    private static final Pattern CONSTANT = Pattern.compile("String (\\w+) = \"(\\w+)\"");
    private static final Pattern KERNEL = Pattern.compile("(?m)^import (dev\\.millrace\\.kernels\\.[\\w.]+);");
    private static final Pattern RUN = Pattern.compile("\\bvoid run\\(");
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w+");

    /** A phase and the folder of its sources. A phase that is no switch over names has every mention of the name as a place. */
    private enum Phase {
        INFERENCE("inference", Path.of("engine-graph", JAVA + "graph/infer"), true),
        LOWERING("lowering", Path.of("engine-graph", JAVA + "graph/lower"), true),
        PASSES("passes", Path.of("engine-graph", JAVA + "graph/optimise/passes"), false),
        CPU("cpu", Path.of("engine-providers/cpu", JAVA + "providers/cpu"), true),
        SIMD("simd", RULES, true);

        private final String label;
        private final Path folder;
        private final boolean switches;

        Phase(String label, Path folder, boolean switches) {
            this.label = label;
            this.folder = folder;
            this.switches = switches;
        }
    }

    /** One place: a phase and a line of a file, which is relative to the checkout. */
    public record Place(String phase, Path file, int line) {
        @Override
        public String toString() {
            return "%-12s %s:%d".formatted(phase, file, line);
        }
    }

    private final Path root;

    /** @param root the folder of a checkout */
    public OperatorPlaces(Path root) {
        this.root = root;
    }

    /** Returns the checkout that a folder lies in. */
    public static Path checkout(Path folder) {
        for (Path each = folder.toAbsolutePath(); each != null; each = each.getParent()) {
            if (Files.isDirectory(each.resolve(DESCRIPTIONS))) {
                return each;
            }
        }
        throw new EngineException(
                Status.NO_SUCH_FILE,
                "--where reads the sources, and " + folder.toAbsolutePath() + " is in no checkout of Millrace");
    }

    /** Returns the places of an operator, in the order of the phases. */
    public List<Place> of(String operator) {
        String name = operator.substring(operator.lastIndexOf('.') + 1);
        try {
            var places = new ArrayList<>(descriptions(name));
            if (places.isEmpty()) {
                throw EngineException.invalidArgument(
                        "there is no operator '" + operator + "'; ./millrace operators lists them");
            }
            Pattern mention = mention(name);
            for (Phase phase : Phase.values()) {
                for (Path file : sources(root.resolve(phase.folder))) {
                    lines(Files.readString(file), mention, phase.switches)
                            .forEach(line -> places.add(new Place(phase.label, root.relativize(file), line)));
                }
            }
            places.addAll(kernels(places));
            return places;
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the sources cannot be read: " + e, e);
        }
    }

    private List<Place> descriptions(String name) throws IOException {
        var found = new ArrayList<Place>();
        try (Stream<Path> files = Files.list(root.resolve(DESCRIPTIONS))) {
            for (Path file : files.sorted().toList()) {
                List<String> lines = Files.readAllLines(file);
                for (int i = lines.size() - 1; i >= 0; i--) {
                    if (lines.get(i).startsWith(name + " ")) {
                        found.add(new Place("description", root.relativize(file), i + 1));
                        break;
                    }
                }
            }
        }
        return found;
    }

    /** Returns what names the operator in Java: its name as a string, or the constant of its name. */
    private Pattern mention(String name) throws IOException {
        Matcher constants = CONSTANT.matcher(Files.readString(root.resolve(NAMES)));
        String constant = constants
                .results()
                .filter(each -> each.group(2).equals(name))
                .map(each -> "|\\bOpName\\." + each.group(1) + "\\b")
                .collect(Collectors.joining());
        return Pattern.compile("\"" + name + "\"" + constant);
    }

    private static List<Integer> lines(String source, Pattern mention, boolean switches) {
        if (!switches) {
            return mention.matcher(source)
                    .results()
                    .map(each -> line(source, each.start()))
                    .distinct()
                    .toList();
        }
        return CASE.matcher(source)
                .results()
                .filter(each -> mention.matcher(each.group(1)).find())
                .map(each -> line(source, each.start()))
                .distinct()
                .toList();
    }

    private static int line(String source, int at) {
        return 1
                + (int) source.substring(0, at)
                        .chars()
                        .filter(each -> each == '\n')
                        .count();
    }

    /** Returns the kernels that the rules import, and the files of their package that they use. */
    private List<Place> kernels(List<Place> places) throws IOException {
        Set<Path> kernels = new LinkedHashSet<>();
        for (Place place : places) {
            if (place.phase().equals(Phase.SIMD.label)) {
                Path rule = root.resolve(place.file());
                String source = Files.readString(rule);
                addKernels(source, kernels);
                Set<String> used =
                        TYPE.matcher(source).results().map(MatchResult::group).collect(Collectors.toSet());
                for (Path beside : sources(rule.resolveSibling(""))) {
                    if (used.contains(beside.getFileName().toString().replace(".java", ""))) {
                        addKernels(Files.readString(beside), kernels);
                    }
                }
            }
        }
        return kernels.stream().map(file -> new Place("kernels", file, 1)).toList();
    }

    /** Adds the drivers among the imports: the classes that run. */
    private void addKernels(String source, Set<Path> kernels) throws IOException {
        for (MatchResult each : KERNEL.matcher(source).results().toList()) {
            Path file = Path.of("engine-kernels/src/main/java", each.group(1).replace('.', '/') + ".java");
            if (Files.exists(root.resolve(file))
                    && RUN.matcher(Files.readString(root.resolve(file))).find()) {
                kernels.add(file);
            }
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(".java"))
                    .sorted()
                    .toList();
        }
    }
}
