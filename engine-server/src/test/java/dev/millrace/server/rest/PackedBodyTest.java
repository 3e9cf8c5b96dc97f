package dev.millrace.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests packed bodies, and which of them clients accept. */
class PackedBodyTest {
    private static final int BOMB = 50_000_000;

    private static ByteBuf bomb(PackedBody form) {
        ByteBuf content = Unpooled.wrappedBuffer(new byte[BOMB]);
        try {
            return form.packed(content, 9);
        } finally {
            content.release();
        }
    }

    @ParameterizedTest
    @EnumSource(PackedBody.class)
    void aBodyThatIsTooLargeUnpackedTakesNoMoreMemoryThanTheLimit(PackedBody form) {
        var taken = new AtomicLong();
        ByteBuf body = bomb(form);
        assertThat(body.readableBytes()).isLessThan(BOMB / 500);
        var memory = new BodyMemory(taken, Long.MAX_VALUE);
        assertThatThrownBy(() -> form.unpacked(body, new BodyLimit(1_000_000, memory)))
                .isInstanceOf(HttpProblem.class)
                .hasMessageContaining("more than 1000000 bytes");
        assertThat(taken.get()).isBetween(900_000L, 1_000_000L);
        assertThat(body.refCnt()).isZero();
    }

    @Test
    void aBodyIsUnpackedWithinTheMemoryOfAllBodies() {
        var memory = new BodyMemory(new AtomicLong(), 1_000_000);
        assertThatThrownBy(() -> PackedBody.GZIP.unpacked(bomb(PackedBody.GZIP), new BodyLimit(2 * BOMB, memory)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.BUDGET_EXCEEDED));
    }

    @Test
    void anUnknownEncodingIsRefusedWithThoseThatAreKnown() {
        assertThatThrownBy(() -> PackedBody.of("br"))
                .isInstanceOfSatisfying(
                        HttpProblem.class,
                        refused -> assertThat(HttpProblem.headersOf(refused, refused.status()))
                                .isEqualTo(Map.of("Accept-Encoding", "gzip, deflate")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, deflate, br | GZIP",
                "GZIP | GZIP",
                "deflate | DEFLATE",
                "gzip;q=0.5, deflate ; q=0.8 | DEFLATE",
                "br;q=1.0, gzip;q=0.8, *;q=0.1 | GZIP",
                "* | GZIP",
                "gzip;q=0, * | DEFLATE",
                "gzip;q=0 | none",
                "gzip;q=NaN | none",
                "gzip;q=0.2, identity | none",
                "identity | none",
                "br, zstd | none",
                "'' | none"
            })
    void theEncodingIsTheOneThatTheClientPrefers(String header, String expected) {
        assertThat(Objects.toString(PackedBody.accepted(header), "none")).isEqualTo(expected);
    }
}
