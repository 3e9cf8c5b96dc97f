package dev.millrace.server.rest;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;

/**
 * The handler behind that of TLS. It takes connections whose handshake fails, about each of which the handlers behind it would write warnings.
 * The handlers of HTTP are added by the end of a handshake, and get their {@link CutRequests} then.
 */
@Sharable
final class Handshakes extends ChannelInboundHandlerAdapter {
    private final BrokenConnections broken;
    private final CutRequests cut;

    /** @param broken tells of the connections */
    Handshakes(BrokenConnections broken, CutRequests cut) {
        this.broken = broken;
        this.cut = cut;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent done && !done.isSuccess()) {
            broken.tell(done.cause());
            context.close();
            return;
        }
        context.fireUserEventTriggered(event);
        if (event instanceof SslHandshakeCompletionEvent) {
            cut.addTo(context.pipeline());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        if (context.pipeline().get(SslHandler.class).handshakeFuture().isSuccess()) {
            context.fireExceptionCaught(failure);
        } else {
            // the event of the handshake tells of it
            context.close();
        }
    }
}
