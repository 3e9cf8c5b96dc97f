package dev.millrace.models;

import static dev.millrace.models.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.TestHub.Trouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of names that leave their place, and of what a hostile hub cannot do. */
class HostileHubTest extends HubFixture {
    @ParameterizedTest
    @ValueSource(strings = {"../x.onnx", "a/../../x.onnx", "/etc/passwd", "a//b", "a\\b", "C:x.onnx", "a/./b", "a\nb"})
    void pathsThatLeaveTheRepositoryAreRefused(String path) {
        assertFails(Status.INVALID_ARGUMENT, "is no path below", () -> ModelName.of("hf:org/net", path, null));
    }

    @ParameterizedTest
    @ValueSource(strings = {"hf:net", "hf:../net", "hf:org/net@../../x", "hf:org/net@a//b", "hf:org/net@"})
    void namesOfNoRepositoryAreRefused(String source) {
        ModelName name = ModelName.of(source, "config.json", null);
        assertThatThrownBy(() -> models().fetch(name)).isInstanceOf(EngineException.class);
        assertThat(hub.seen).isEmpty();
        assertThat(folder.resolve("hub")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({"X-Repo-Commit, ../../../../evil", "ETag, \"../../evil\"", "ETag, \"..\"", "X-Linked-ETag, /etc/evil"})
    void aHostileHubNamesNoPlaces(String header, String value) {
        hub.wrongHeaders.put(header, value);
        assertThatThrownBy(() -> fetch("hf:org/net/config.json"))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("hub");
        assertThat(folder.resolve("hub")).doesNotExist();
    }

    @Test
    void enormousClaimsCostNothing() {
        hub.wrongHeaders.put("X-Linked-Size", "" + (1L << 50));
        assertFails(Status.FAIL, "largestFile allows", () -> fetch("hf:org/net/onnx/data.bin"));
        ModelFiles lavish = models(options -> options.largestFile(Long.MAX_VALUE));
        ModelName name = ModelName.parse("hf:org/net/onnx/data.bin");
        assertFails(Status.FAIL, "has room for", () -> lavish.fetch(name));

        hub.wrongHeaders.put("X-Linked-Size", "1000");
        assertFails(Status.FAIL, "more than the 1000 bytes", () -> fetch("hf:org/net/onnx/data.bin"));
        assertThat(hub.seen).filteredOn(each -> each.server().equals("store")).hasSize(1);
    }

    @Test
    void redirectsThatDoNotEndAreLeft() {
        for (int i = 0; i < 40; i++) {
            hub.hubTroubles.add(Trouble.status(307, "Location", "/org/net/resolve/main/config.json"));
        }
        assertFails(Status.FAIL, "too many redirects", () -> fetch("hf:org/net/config.json"));
    }
}
