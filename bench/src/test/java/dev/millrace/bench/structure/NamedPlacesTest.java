package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the classes that the pages for contributors name exist. */
class NamedPlacesTest {
    private static final Path PAGES = Path.of("../docs/internals");
    private static final Pattern SOURCE =
            Pattern.compile(".*/src/(?:main|test)/(?:java|kotlin)/dev/millrace/(.*)\\.(?:java|kt)");
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
    private static final Pattern NAME = Pattern.compile(
            "`((?:bench|cli|codegen|epcontext|graph|kernels|memory|providers|scheduler|server|session|text)"
                    + "(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*)[.`(]");

    /** Returns the classes of all modules, as the pages name them. */
    private static Set<String> places() throws IOException {
        var places = new TreeSet<String>();
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            for (Path file : files.toList()) {
                Matcher source = SOURCE.matcher(file.toString().replace('\\', '/'));
                if (source.matches()) {
                    places.add(source.group(1).replace('/', '.'));
                }
            }
        }
        return places;
    }

    private static List<String> unknown(String page, Set<String> places) {
        return NAME.matcher(CODE.matcher(page).replaceAll(""))
                .results()
                .map(each -> each.group(1))
                .filter(name -> !places.contains(name))
                .toList();
    }

    @Test
    void classesOnThePagesExist() throws IOException {
        Set<String> places = places();
        assertThat(places).contains("graph.infer.rule.InferenceRules", "scheduler.bind.Binder");
        try (Stream<Path> pages = Files.list(PAGES)) {
            for (Path page :
                    pages.filter(each -> each.toString().endsWith(".md")).toList()) {
                assertThat(unknown(Files.readString(page), places))
                        .as("%s", page)
                        .isEmpty();
            }
        }
    }

    @Test
    void aClassThatMovedIsFound() {
        String page = "`graph.ir.Node` and `graph.ir.Node.inputs()`, `graph.ir.Nodes`, `session.run(inputs)`";
        assertThat(unknown(page, Set.of("graph.ir.Node"))).containsExactly("graph.ir.Nodes");
    }
}
