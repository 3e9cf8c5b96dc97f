package dev.millrace.langchain4j;

import dev.langchain4j.model.chat.response.ChatModelStreamingEvent;
import dev.langchain4j.model.chat.response.CompleteResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import reactor.core.publisher.BaseSubscriber;

/**
 * A handler as the subscriber of an answer. As in LangChain4j's other models, a failure of the handler is told to the handler itself. Here it also
 * ends the answer.
 */
final class HandlerSubscriber extends BaseSubscriber<ChatModelStreamingEvent> implements StreamingHandle {
    private static final Logger LOG = System.getLogger(HandlerSubscriber.class.getName());

    private final StreamingChatResponseHandler handler;
    private volatile boolean isCancelled;

    HandlerSubscriber(StreamingChatResponseHandler handler) {
        this.handler = handler;
    }

    @Override
    protected void hookOnNext(ChatModelStreamingEvent event) {
        if (isCancelled) {
            return;
        }
        try {
            switch (event) {
                case PartialResponse part -> handler.onPartialResponse(part, new PartialResponseContext(this));
                case CompleteToolCall call -> handler.onCompleteToolCall(call);
                case CompleteResponse complete -> handler.onCompleteResponse(complete.chatResponse());
                default -> handler.onUnmappedRawEvent(event);
            }
        } catch (RuntimeException e) {
            cancel();
            hookOnError(e);
        }
    }

    @Override
    protected void hookOnError(Throwable error) {
        try {
            handler.onError(error);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a handler of streamed answers failed in onError", e);
        }
    }

    @Override
    protected void hookOnCancel() {
        isCancelled = true;
    }

    @Override
    public boolean isCancelled() {
        return isCancelled;
    }
}
