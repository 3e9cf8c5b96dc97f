package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A native image knows the classes that are found by their names. */
class ReachabilityMetadataTest {
    private static final String FILE =
            "/META-INF/native-image/dev.millrace/millrace-session/reachability-metadata.json";
    private static final Pattern TYPE = Pattern.compile("\"type\": \"([^\"]+)\"");

    @Test
    void metadataHasTheClassesThatAreFoundByName() throws Exception {
        List<String> types =
                TYPE.matcher(metadata()).results().map(each -> each.group(1)).toList();
        assertThat(types)
                .contains(
                        "dev.millrace.session.runtime.EngineFactory",
                        "dev.millrace.session.runtime.ReplaceableSessionFactory",
                        "dev.millrace.session.modelpackage.ModelPackageFactory")
                .contains("dev.millrace.providers.simd.SimdFactory", "dev.millrace.providers.cpu.CpuFactory");
        for (String each : types) {
            assertThat(Class.forName(each).getConstructor()).isNotNull();
        }
    }

    private static String metadata() throws IOException {
        try (InputStream in = Objects.requireNonNull(Session.class.getResourceAsStream(FILE))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
