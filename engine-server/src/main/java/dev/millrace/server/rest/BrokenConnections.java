package dev.millrace.server.rest;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The end of each connection's handlers. It hears of failures that belong to no request, such as frames that are none, and
 * writes one line about all of them in a minute.
 */
@Sharable
final class BrokenConnections extends ChannelInboundHandlerAdapter {
    private static final System.Logger LOG = System.getLogger(BrokenConnections.class.getName());
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoClock;
    private long heard;
    private @Nullable Long told;

    BrokenConnections(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        tell(failure);
        context.close();
    }

    /** Tells of a failure at once, or with those that follow. */
    void tell(Throwable failure) {
        LOG.log(System.Logger.Level.DEBUG, "a connection broke", failure);
        String line = line(failure);
        if (line != null) {
            LOG.log(System.Logger.Level.WARNING, line);
        }
    }

    /** Counts a failure; returns the line about it and those before it, or null if one was written within a minute. */
    synchronized @Nullable String line(Throwable failure) {
        heard++;
        long now = nanoClock.getAsLong();
        if (told != null && now - told < MINUTE) {
            return null;
        }
        String line = heard + (heard == 1 ? " connection" : " connections") + " broke off by a fault in the protocol: "
                + failure;
        told = now;
        heard = 0;
        return line;
    }
}
