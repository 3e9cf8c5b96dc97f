package dev.millrace.server.rest;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.util.ReferenceCountUtil;
import reactor.netty.NettyPipeline;

/**
 * The handler before those of Reactor Netty for HTTP/1.1. It takes requests whose connection closed within their headers: nobody can be answered, and
 * Reactor Netty would write a warning about each.
 */
@Sharable
final class CutRequests extends ChannelInboundHandlerAdapter {
    private final BrokenConnections broken;

    /** @param broken tells of the connections */
    CutRequests(BrokenConnections broken) {
        this.broken = broken;
    }

    /** Adds this handler to those of a connection, if they are of HTTP/1.1. */
    void addTo(ChannelPipeline handlers) {
        if (handlers.get(NettyPipeline.HttpTrafficHandler) != null) {
            handlers.addBefore(NettyPipeline.HttpTrafficHandler, null, this);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request
                && request.decoderResult().cause() instanceof PrematureChannelClosureException cut) {
            ReferenceCountUtil.release(message);
            broken.tell(cut);
        } else {
            context.fireChannelRead(message);
        }
    }
}
