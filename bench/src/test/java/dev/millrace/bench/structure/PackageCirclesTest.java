package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the packages of all modules have no cyclic dependencies, according to their imports. */
class PackageCirclesTest {
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+)");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?(dev\\.millrace(?:\\.[a-z]\\w*)*)\\.");

    /** The imported packages of each package, each with a file that imports it. */
    private final Map<String, Map<String, String>> arrows = new TreeMap<>();

    @Test
    void noPackageUsesItselfByWayOfOthers() throws IOException {
        readModules(Path.of(".."));
        assertThat(arrows)
                .containsKeys("dev.millrace.graph.ir", "dev.millrace.codegen.program", "dev.millrace.bench.kernels");
        assertThat(circle()).isEmpty();
    }

    @Test
    void aCircleIsFoundWithTheFilesThatDrawIt(@TempDir Path root) throws IOException {
        write(root.resolve("upper"), "top", "Roof", "low.Floor");
        write(root.resolve("lower"), "low", "Floor", "mid.Wall");
        write(root.resolve("group/nested"), "mid", "Wall", "low.Floor.Tile");
        readModules(root);
        assertThat(circle())
                .containsExactly(
                        "dev.millrace.low -> dev.millrace.mid in Floor.java",
                        "dev.millrace.mid -> dev.millrace.low in Wall.java");
    }

    private static void write(Path module, String name, String type, String imported) throws IOException {
        Path folder = Files.createDirectories(module.resolve("src/main/java/dev/millrace/" + name));
        Files.writeString(
                folder.resolve(type + ".java"),
                "package dev.millrace." + name + ";\n\nimport dev.millrace." + imported + ";\n");
    }

    /** Reads the modules: the folders that have main sources, right below the root or one level deeper. */
    private void readModules(Path root) throws IOException {
        for (Path folder : folders(root)) {
            readSources(folder.resolve("src/main"));
            for (Path nested : folders(folder)) {
                readSources(nested.resolve("src/main"));
            }
        }
    }

    private static List<Path> folders(Path parent) throws IOException {
        try (var children = Files.list(parent)) {
            return children.filter(Files::isDirectory).sorted().toList();
        }
    }

    private void readSources(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (Path file : files.filter(f -> f.toString().matches(".*\\.(java|kt)"))
                    .sorted()
                    .toList()) {
                read(file);
            }
        }
    }

    private void read(Path file) throws IOException {
        String text = Files.readString(file);
        var name = PACKAGE.matcher(text);
        if (!name.find()) {
            return; // a module declaration
        }
        var uses = arrows.computeIfAbsent(name.group(1), _ -> new TreeMap<>());
        for (var matches = IMPORT.matcher(text); matches.find(); ) {
            if (!matches.group(1).equals(name.group(1))) {
                uses.putIfAbsent(matches.group(1), file.getFileName().toString());
            }
        }
    }

    /** Returns the dependencies of a cycle, empty if there is none. */
    private List<String> circle() {
        var rest = new TreeMap<>(arrows);
        while (rest.keySet().removeIf(name -> next(name, rest.keySet()) == null)) {}
        if (rest.isEmpty()) {
            return List.of();
        }
        // Each remaining package uses a remaining one, so that a walk returns to where it was.
        var walk = new ArrayList<String>();
        String at = rest.firstKey();
        while (at != null && !walk.contains(at)) {
            walk.add(at);
            at = next(at, rest.keySet());
        }
        List<String> circle = walk.subList(walk.indexOf(at), walk.size());
        var found = new ArrayList<String>();
        for (int i = 0; i < circle.size(); i++) {
            String to = circle.get((i + 1) % circle.size());
            found.add(circle.get(i) + " -> " + to + " in " + uses(circle.get(i)).get(to));
        }
        return found;
    }

    private Map<String, String> uses(String name) {
        return arrows.getOrDefault(name, Map.of());
    }

    /** Returns a package that another one uses, null if it uses none of these. */
    private @Nullable String next(String name, Set<String> among) {
        for (String used : uses(name).keySet()) {
            if (among.contains(used)) {
                return used;
            }
        }
        return null;
    }
}
