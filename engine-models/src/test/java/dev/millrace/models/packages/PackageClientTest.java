package dev.millrace.models.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the commands that bring packages. */
class PackageClientTest {
    private static final Path WORK = Path.of("/work-folder");

    @Test
    void theClientsOfTheRegistriesAreCalled() {
        assertThat(PackageClient.command("mvn:g.h:a-b:1.0-beta", WORK, false))
                .startsWith("mvn")
                .contains("-Dartifact=g.h:a-b:1.0-beta", "-DoutputDirectory=/work-folder")
                .doesNotContain("-o");
        assertThat(PackageClient.command("npm:@s/net@1.2.3", WORK, false))
                .startsWith("npm", "pack", "@s/net@1.2.3")
                .contains("--ignore-scripts", "/work-folder")
                .doesNotContain("--offline");
    }

    @Test
    void offlineTheyTakeOnlyWhatTheyHave() {
        assertThat(PackageClient.command("mvn:g:a:1", WORK, true)).contains("-o");
        assertThat(PackageClient.command("npm:net@1.2.3", WORK, true)).contains("--offline");
    }

    @Test
    void theReasonOfAFailureIsInPlainLines() {
        String log = "\u001b[0m\u001b[0m[ERROR] Could not find a:b:jar:1\n\u001b[31m\n  in central\nRe-run Maven\n";
        assertThat(PackageClient.reason(log)).isEqualTo("[ERROR] Could not find a:b:jar:1 in central");
        assertThat(PackageClient.command("npm:net@1.2.3", WORK, false)).contains("--loglevel=error");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "npm:net",
                "npm:net@latest",
                "npm:git+https://host/net@1",
                "npm:--script=x@1",
                "npm:../net@1",
                "mvn:g:a",
                "mvn:g:a:1 -Dx=y",
                "hf:org/net"
            })
    void otherTextsNameNoPackage(String source) {
        assertThatThrownBy(() -> PackageClient.command(source, WORK, false))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("names no package");
    }
}
