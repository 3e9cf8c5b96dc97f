package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.session.CachedAttention;
import dev.millrace.session.request.CacheRoom;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CacheRoomTest {
    private static CacheRoom room(byte[] model) {
        return CacheRoom.of(Models.read(MemorySegment.ofArray(model), null).graph());
    }

    @Test
    void cachesOfGroupQueryAttentionWhoseLengthsAreTheSumOfAMaskHaveRoom() {
        assertThat(room(CachedAttention.bytes()))
                .isEqualTo(new CacheRoom("mask", Map.of("k", "k_out", "v", "v_out"), true));
    }

    @Test
    void aCacheThatAnotherNodeReadsHasNone() {
        assertThat(room(CachedAttention.bytes(true))).isEqualTo(CacheRoom.NONE);
    }

    @Test
    void cachesOfOtherModelsHaveNone() {
        assertThat(room(SummingModel.bytes(1))).isEqualTo(CacheRoom.NONE);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 256",
        "256, 0, 256",
        "257, 0, 512",
        "513, 0, 1024",
        "2049, 0, 4096",
        "4097, 0, 6144",
        "6145, 0, 8192",
        "300, 400, 400",
        "500, 400, 512",
        "1, 2048, 256"
    })
    void roomDoublesUpToALimitAndEndsWithTheContext(int count, int context, int room) {
        assertThat(DecoderCaches.room(count, context)).isEqualTo(room);
    }
}
