package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeCasesTest {
    private static final String LIST = "/cpu-node-cases.txt";

    @Test
    void everyListedCasePasses() throws IOException {
        Path folder = NodeCases.folder();
        if (!Files.isDirectory(folder)) {
            System.out.println("skipped: there is no " + folder);
            return;
        }
        var cases = new NodeCases(folder, new CpuKernels());
        Set<String> listed = listed();
        List<String> names = cases.names();
        var failures = new ArrayList<String>();
        for (String name : names) {
            boolean expected = listed.contains(name);
            if (!expected && !cases.isSupported(name)) {
                continue;
            }
            String difference = outcome(cases, name);
            if (expected && difference != null) {
                failures.add(name + ": " + difference);
            } else if (!expected && difference == null) {
                System.out.println("passes but is not listed: " + name);
            }
        }
        var absent = new HashSet<>(listed);
        absent.removeAll(names);
        assertThat(failures).isEmpty();
        assertThat(absent).isEmpty();
    }

    private static @org.jspecify.annotations.Nullable String outcome(NodeCases cases, String name) {
        try {
            return cases.run(name);
        } catch (RuntimeException | AssertionError e) {
            return e.toString();
        }
    }

    private static Set<String> listed() throws IOException {
        try (var stream = NodeCasesTest.class.getResourceAsStream(LIST)) {
            return new HashSet<>(new String(Objects.requireNonNull(stream).readAllBytes())
                    .lines()
                    .toList());
        }
    }
}
