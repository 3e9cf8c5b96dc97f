package dev.millrace.server.rest;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * The first handler of each connection. It keeps the failure of a connection that its client has reset from the handlers behind it, which would
 * write a line each: the connection closes in any case, and its request ends by that.
 */
@ChannelHandler.Sharable
final class ResetConnections extends ChannelInboundHandlerAdapter {
    private static final System.Logger LOG = System.getLogger(ResetConnections.class.getName());

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        if (failure instanceof IOException) {
            LOG.log(System.Logger.Level.DEBUG, "a client has reset its connection", failure);
        } else {
            context.fireExceptionCaught(failure);
        }
    }
}
