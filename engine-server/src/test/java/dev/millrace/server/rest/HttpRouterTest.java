package dev.millrace.server.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how paths become segments. */
class HttpRouterTest {
    @ParameterizedTest
    @CsvSource({
        "/v2/models/a/infer, v2|models|a|infer",
        "/v2/, v2",
        "//v2//x, v2||x",
        "/v2/a%2Fb+c?d=/e, v2|a/b+c",
        "/v2/%zz, v2|%zz",
        "http://proxied:80/v2/health?d=/e, v2|health",
        "/v2/a://b, v2|a:||b"
    })
    void aPathIsSplitAndDecoded(String uri, String segments) {
        assertThat(String.join("|", HttpRouter.segments(uri))).isEqualTo(segments);
    }

    @Test
    void anEmptyPathHasOneEmptySegment() {
        assertThat(HttpRouter.segments("/")).containsExactly("");
        assertThat(HttpRouter.segments("")).containsExactly("");
        assertThat(HttpRouter.segments("http://proxied")).containsExactly("");
    }
}
