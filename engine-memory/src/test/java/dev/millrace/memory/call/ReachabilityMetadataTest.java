package dev.millrace.memory.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A native image knows the signatures that native code is called with, and called back with. */
class ReachabilityMetadataTest {
    private static final String FILE = "/META-INF/native-image/dev.millrace/millrace-memory/reachability-metadata.json";

    @Test
    void metadataHasEverySignature() throws IOException {
        String metadata;
        try (InputStream in = Objects.requireNonNull(Calls.class.getResourceAsStream(FILE))) {
            metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        FunctionDescriptor plain = Calls.signature();
        FunctionDescriptor holding = plain.appendArgumentLayouts(
                Collections.nCopies(Calls.MOST_HELD, ValueLayout.ADDRESS).toArray(ValueLayout[]::new));
        List<String> entries = metadata.lines()
                .map(String::strip)
                .filter(line -> line.startsWith("{\"returnType\""))
                .map(line -> line.endsWith(",") ? line.substring(0, line.length() - 1) : line)
                .toList();
        assertThat(entries).containsExactly(entry(plain), entry(holding), entry(plain));
        assertThat(metadata.indexOf("\"upcalls\"")).isGreaterThan(metadata.indexOf(entry(holding)));
    }

    private static String entry(FunctionDescriptor signature) {
        String parameters = signature.argumentLayouts().stream()
                .map(layout -> layout instanceof ValueLayout.OfLong ? "\"jlong\"" : "\"void*\"")
                .collect(Collectors.joining(", "));
        return Stream.of("{\"returnType\": \"jlong\", \"parameterTypes\": [", parameters, "]}")
                .collect(Collectors.joining());
    }
}
