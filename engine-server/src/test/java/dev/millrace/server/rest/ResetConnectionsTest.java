package dev.millrace.server.rest;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests which failures of connections other handlers hear of. */
class ResetConnectionsTest {
    @Test
    void aResetIsKeptAndOtherFailuresAreHanded() {
        var channel = new EmbeddedChannel(new ResetConnections());
        channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        channel.checkException();
        channel.pipeline().fireExceptionCaught(new IllegalStateException("a fault"));
        assertThatThrownBy(channel::checkException).hasMessage("a fault");
    }
}
