package dev.millrace.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.model.chat.response.ChatModelStreamingEvent;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.ChatDelta;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.Completion;
import dev.millrace.text.ToolCall;
import dev.millrace.text.ToolCallSplitter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A request as the engine has it.
 *
 * @param chats the generator with the tools and the stop texts of the request
 * @param tools the names of the tools that an answer may call
 * @param name the name of the model in responses
 */
record AskedChat(
        ChatGenerator chats,
        List<ChatMessage> messages,
        GenerationOptions options,
        List<String> tools,
        @Nullable String name) {
    ChatResponse run() {
        return response(chats.run(messages, options));
    }

    Mono<ChatResponse> mono() {
        return chats.mono(messages, options).map(this::response);
    }

    /** Returns the parts of the answer, the tools that it calls, and at last the whole answer. */
    Flux<ChatModelStreamingEvent> events() {
        var answer = new StreamedAnswer();
        return chats.flux(messages, options).concatMapIterable(answer::events);
    }

    private boolean isCall(List<ToolCall> calls) {
        return calls.stream().allMatch(call -> tools.contains(call.name()));
    }

    private ChatResponse response(Completion answer) {
        var splitter = new ToolCallSplitter(this::isCall);
        boolean hasTools = !tools.isEmpty();
        String text = hasTools ? splitter.add(answer.text()) + splitter.end() : answer.text();
        return ChatConversion.response(name, text, splitter.calls(), answer.usage(), answer.ending());
    }

    /** An answer while it is generated. */
    private final class StreamedAnswer {
        private final StringBuilder text = new StringBuilder();
        private final ToolCallSplitter splitter = new ToolCallSplitter(AskedChat.this::isCall);

        List<ChatModelStreamingEvent> events(ChatDelta delta) {
            var events = new ArrayList<ChatModelStreamingEvent>();
            boolean hasTools = !tools.isEmpty();
            add(hasTools ? splitter.add(delta.text()) : delta.text(), events);
            if (delta.ending() != null) {
                if (hasTools) {
                    add(splitter.end(), events);
                }
                ChatResponse response =
                        ChatConversion.response(name, text.toString(), splitter.calls(), delta.usage(), delta.ending());
                List<ToolExecutionRequest> calls = response.aiMessage().toolExecutionRequests();
                for (int i = 0; calls != null && i < calls.size(); i++) {
                    events.add(new CompleteToolCall(i, calls.get(i)));
                }
                events.add(new CompleteResponse(response));
            }
            return events;
        }

        private void add(String part, List<ChatModelStreamingEvent> events) {
            if (!part.isEmpty()) {
                text.append(part);
                events.add(new PartialResponse(part));
            }
        }
    }
}
