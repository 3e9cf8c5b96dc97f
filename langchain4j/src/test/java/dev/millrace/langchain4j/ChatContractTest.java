package dev.millrace.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.model.chat.Capability;
import dev.langchain4j.model.chat.listener.ChatModelErrorContext;
import dev.langchain4j.model.chat.listener.ChatModelListener;
import dev.langchain4j.model.chat.listener.ChatModelRequestContext;
import dev.langchain4j.model.chat.listener.ChatModelResponseContext;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonEnumSchema;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonReferenceSchema;
import dev.langchain4j.model.chat.request.json.JsonSchema;
import dev.langchain4j.model.chat.response.ChatModelStreamingEvent;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.output.FinishReason;
import dev.millrace.text.LanguageModel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.adapter.JdkFlowAdapter;

/** Tests the contracts of LangChain4j's chat models: listeners, cancellation, failures, tools and response formats. */
class ChatContractTest {
    private static final String CALL =
            "<tool_call>{\"name\": \"clock\", \"arguments\": {\"zone\": \"UTC\"}}</tool_call>";
    private static final List<String> WORDS =
            List.of("water", "drives", CALL, "</s>", "user", "assistant", "system", "why");
    private static final ToolSpecification CLOCK = ToolSpecification.builder()
            .name("clock")
            .parameters(JsonObjectSchema.builder().addStringProperty("zone").build())
            .build();

    @TempDir
    private Path folder = Path.of("");

    /** Opens a model that says "water", "drives", and "drives" again without an end. */
    private LanguageModel endless() throws IOException {
        WordModel.write(folder, WORDS, 1, 1, 3, 3, 5, 0, 7, 7);
        return LanguageModel.open(folder);
    }

    /** Opens a model that says "water", and then calls the tool. */
    private LanguageModel calling() throws IOException {
        WordModel.write(folder, WORDS, 2, 2, 3, 3, 5, 0, 7, 7);
        return LanguageModel.open(folder);
    }

    private static ChatRequest.Builder request() {
        return ChatRequest.builder().messages(UserMessage.from("why"));
    }

    /** Remembers what it is told, and cancels after a number of parts. */
    private static class Told implements StreamingChatResponseHandler {
        final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private final int parts;
        private int heard;

        Told(int parts) {
            this.parts = parts;
        }

        @Override
        public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
            events.add(part.text());
            if (++heard == parts) {
                context.streamingHandle().cancel();
                events.add(context.streamingHandle().isCancelled());
            }
        }

        @Override
        public void onCompleteToolCall(CompleteToolCall call) {
            events.add(call);
        }

        @Override
        public void onCompleteResponse(ChatResponse response) {
            events.add(response);
        }

        @Override
        public void onError(Throwable error) {
            events.add(error);
        }

        Object next() throws InterruptedException {
            Object next = events.poll(1, TimeUnit.MINUTES);
            assertThat(next).isNotNull();
            return next;
        }
    }

    @Test
    void anAnswerIsCancelledByItsHandle() throws Exception {
        try (LanguageModel model = endless()) {
            var told = new Told(2);
            MillraceStreamingChatModel chat = MillraceStreamingChatModel.of(model);
            chat.chat(request().build(), told);
            assertThat(told.next()).isEqualTo("water");
            assertThat(told.next().toString().strip()).isEqualTo("drives");
            assertThat(told.next()).isEqualTo(true);
            // what was under way is over when the next answer is complete
            var other = new Told(0);
            chat.chat(request().maxOutputTokens(3).build(), other);
            assertThat(other.next()).isEqualTo("water");
            while (!(other.next() instanceof ChatResponse)) {}
            assertThat(told.events).isEmpty();
        }
    }

    @Test
    void aFailureOfAHandlerIsToldToItAndEndsTheAnswer() throws Exception {
        try (LanguageModel model = endless()) {
            var told = new Told(0) {
                @Override
                public void onPartialResponse(PartialResponse part, PartialResponseContext context) {
                    throw new IllegalStateException("the client is gone");
                }
            };
            MillraceStreamingChatModel.of(model).chat(request().build(), told);
            assertThat(told.next()).isInstanceOf(IllegalStateException.class);
            assertThat(told.events).isEmpty();
        }
    }

    /** Writes down the requests, answers and failures that it hears of. */
    private static ChatModelListener writing(BlockingQueue<String> heard) {
        return new ChatModelListener() {
            @Override
            public void onRequest(ChatModelRequestContext context) {
                heard.add("asked " + context.chatRequest().parameters().maxOutputTokens());
            }

            @Override
            public void onResponse(ChatModelResponseContext context) {
                heard.add("answered " + context.chatResponse().tokenUsage().outputTokenCount());
            }

            @Override
            public void onError(ChatModelErrorContext context) {
                heard.add("failed " + context.error().getClass().getSimpleName());
            }
        };
    }

    @Test
    void listenersHearOfRequestsAnswersAndFailures() throws Exception {
        try (LanguageModel model = endless()) {
            var heard = new LinkedBlockingQueue<String>();
            List<ChatModelListener> listeners = List.of(writing(heard));
            MillraceChatModel chat = MillraceChatModel.of(model).withListeners(listeners);
            chat.chat(request().maxOutputTokens(3).build());
            assertThatThrownBy(() -> chat.chat(request().maxOutputTokens(-1).build()))
                    .isInstanceOf(InvalidRequestException.class);
            assertThat(heard).containsExactly("asked 3", "answered 3", "asked -1", "failed InvalidRequestException");
            assertThat(chat.defaultRequestParameters().maxOutputTokens())
                    .isEqualTo(model.defaults().maxTokens());
            heard.clear();
            MillraceStreamingChatModel stream =
                    MillraceStreamingChatModel.of(model).withListeners(listeners);
            var told = new Told(0);
            stream.chat(request().maxOutputTokens(-1).build(), told);
            assertThat(told.next()).isInstanceOf(InvalidRequestException.class);
            stream.chat(request().maxOutputTokens(1).build(), told);
            assertThat(told.next()).isEqualTo("water");
            assertThat(told.next()).isInstanceOf(ChatResponse.class);
            for (String text : List.of("asked -1", "failed InvalidRequestException", "asked 1", "answered 1")) {
                assertThat(heard.poll(1, TimeUnit.MINUTES)).isEqualTo(text);
            }
        }
    }

    @Test
    void anAnswerIsAPublisherOfEvents() throws Exception {
        try (LanguageModel model = endless()) {
            List<ChatModelStreamingEvent> events =
                    Objects.requireNonNull(JdkFlowAdapter.flowPublisherToFlux(MillraceStreamingChatModel.of(model)
                                    .chat(request().maxOutputTokens(2).build()))
                            .collectList()
                            .block(Duration.ofMinutes(1)));
            assertThat(events).hasSize(3);
            assertThat(events.getFirst()).isEqualTo(new PartialResponse("water"));
            assertThat(((CompleteResponse) events.getLast())
                            .chatResponse()
                            .aiMessage()
                            .text())
                    .isEqualTo("water drives");
        }
    }

    @Test
    void anAnswerCallsTools() throws Exception {
        try (LanguageModel model = calling()) {
            MillraceChatModel chat = MillraceChatModel.of(model);
            ChatResponse response =
                    chat.chat(request().toolSpecifications(CLOCK).build());
            assertThat(response.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
            assertThat(response.aiMessage().text().strip()).isEqualTo("water");
            ToolExecutionRequest call =
                    response.aiMessage().toolExecutionRequests().getFirst();
            assertThat(call.name()).isEqualTo("clock");
            assertThat(call.arguments()).isEqualToIgnoringWhitespace("{\"zone\": \"UTC\"}");
            // the call and its result are messages of the next request
            ChatRequest next = ChatRequest.builder()
                    .messages(
                            UserMessage.from("why"), response.aiMessage(), ToolExecutionResultMessage.from(call, "why"))
                    .toolSpecifications(CLOCK)
                    .build();
            assertThat(chat.chat(next).aiMessage().hasToolExecutionRequests()).isTrue();
            // tools that were not offered are a text
            assertThat(chat.chat(request().build()).aiMessage().text()).contains("<tool_call>");

            var told = new Told(0);
            MillraceStreamingChatModel.of(model)
                    .chat(request().toolSpecifications(CLOCK).build(), told);
            var events = new ArrayList<Object>();
            do {
                events.add(told.next());
            } while (!(events.getLast() instanceof ChatResponse));
            assertThat(events.getFirst().toString().strip()).isEqualTo("water");
            assertThat(events.get(events.size() - 2))
                    .isInstanceOfSatisfying(
                            CompleteToolCall.class,
                            complete -> assertThat(
                                            complete.toolExecutionRequest().name())
                                    .isEqualTo("clock"));
            assertThat(String.join(
                            "", events.stream().map(Object::toString).toList().subList(0, events.size() - 2)))
                    .doesNotContain("tool_call");
        }
    }

    @Test
    void anAnswerFollowsAJsonSchema() throws Exception {
        WordModel.writeCharacters(folder, "\"ye.{}:nosatrl", 1, 1, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
        JsonSchema schema = JsonSchema.builder()
                .name("answer")
                .rootElement(JsonObjectSchema.builder()
                        .addProperty(
                                "y",
                                JsonEnumSchema.builder().enumValues("yes", "no").build())
                        .required("y")
                        .build())
                .build();
        try (LanguageModel model = LanguageModel.open(folder)) {
            MillraceChatModel chat = MillraceChatModel.of(model);
            assertThat(chat.supportedCapabilities()).containsExactly(Capability.RESPONSE_FORMAT_JSON_SCHEMA);
            ChatResponse response = chat.chat(request()
                    .responseFormat(ResponseFormat.builder()
                            .type(ResponseFormatType.JSON)
                            .jsonSchema(schema)
                            .build())
                    .build());
            assertThat(response.aiMessage().text()).isEqualTo("{\"y\":\"yes\"}");
            assertThat(response.finishReason()).isEqualTo(FinishReason.STOP);
        }
        try (LanguageModel words = endless()) {
            assertThat(MillraceChatModel.of(words).supportedCapabilities()).isEmpty();
            MillraceChatModel plain = MillraceChatModel.of(words.chats(), words.defaults());
            assertThatThrownBy(() -> plain.chat(
                            request().responseFormat(ResponseFormat.JSON).build()))
                    .isInstanceOf(UnsupportedFeatureException.class)
                    .hasMessageContaining("of a LanguageModel");
        }
    }

    private static ToolSpecification tool(String name, JsonObjectSchema parameters) {
        return ToolSpecification.builder().name(name).parameters(parameters).build();
    }

    /** The model says "b" wherever it may, and never decides for a call by itself. */
    @Test
    void aRequiredToolIsCalled() throws Exception {
        WordModel.writeCharacters(folder, "b\"a.merguntsy{}:,", new int[17]);
        ToolSpecification bytes = tool(
                "bytes",
                JsonObjectSchema.builder()
                        .addProperty(
                                "as",
                                JsonReferenceSchema.builder().reference("unit").build())
                        .required("as")
                        .definitions(Map.of(
                                "unit",
                                JsonEnumSchema.builder().enumValues("mb", "bb").build()))
                        .build());
        ToolSpecification stay = tool("stay", JsonObjectSchema.builder().build());
        try (LanguageModel model = LanguageModel.open(folder)) {
            MillraceChatModel chat = MillraceChatModel.of(model);
            ChatRequest.Builder asked = request().toolSpecifications(stay, bytes);
            assertThat(chat.chat(asked.maxOutputTokens(5).build()).aiMessage().hasToolExecutionRequests())
                    .isFalse();
            ChatResponse response = chat.chat(
                    asked.toolChoice(ToolChoice.REQUIRED).maxOutputTokens(60).build());
            assertThat(response.finishReason()).isEqualTo(FinishReason.TOOL_EXECUTION);
            assertThat(response.aiMessage().toolExecutionRequests())
                    .singleElement()
                    .satisfies(call -> assertThat(call.name()).isEqualTo("bytes"))
                    .satisfies(call -> assertThat(call.arguments()).isEqualTo("{\"as\":\"bb\"}"));
            assertThatThrownBy(() ->
                            chat.chat(request().toolChoice(ToolChoice.REQUIRED).build()))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("no tools");
            ToolSpecification other = tool(
                    "other",
                    JsonObjectSchema.builder()
                            .definitions(Map.of(
                                    "unit",
                                    JsonEnumSchema.builder().enumValues("s").build()))
                            .build());
            assertThatThrownBy(() -> chat.chat(request()
                            .toolSpecifications(bytes, other)
                            .toolChoice(ToolChoice.REQUIRED)
                            .build()))
                    .isInstanceOf(UnsupportedFeatureException.class)
                    .hasMessageContaining("'unit'");
        }
    }

    @Test
    void contentsThatAreNoTextAreRefused() throws Exception {
        try (LanguageModel model = endless()) {
            MillraceChatModel chat = MillraceChatModel.of(model);
            UserMessage picture =
                    UserMessage.from(TextContent.from("why"), ImageContent.from("http://localhost/a.png"));
            assertThatThrownBy(() -> chat.chat(picture))
                    .isInstanceOf(UnsupportedFeatureException.class)
                    .hasMessageContaining("IMAGE");
            // an answer without a text, as one that a handler cancelled, is an empty message
            ChatRequest before = ChatRequest.builder()
                    .messages(UserMessage.from("why"), AiMessage.from(""), UserMessage.from("why"))
                    .maxOutputTokens(1)
                    .build();
            assertThat(chat.chat(before).aiMessage().text()).isEqualTo("water");
        }
    }
}
