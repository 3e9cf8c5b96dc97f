package dev.millrace.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.spring.boot.MillraceAutoConfiguration;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.content.Media;
import org.springframework.ai.model.chat.client.autoconfigure.ChatClientAutoConfiguration;
import org.springframework.ai.model.tool.autoconfigure.ToolCallingAutoConfiguration;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.MimeTypeUtils;

/** Tests chats, their streams, options, tools and observations. */
class ChatModelTest {
    private final BlockingQueue<Observation.Context> observed = new LinkedBlockingQueue<>();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    MillraceAutoConfiguration.class,
                    MillraceChatAutoConfiguration.class,
                    ToolCallingAutoConfiguration.class,
                    ChatClientAutoConfiguration.class))
            .withBean(ObservationRegistry.class, this::registry);

    @TempDir
    private Path folder = Path.of("");

    private ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public void onStop(Observation.Context context) {
                observed.add(context);
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    private ApplicationContextRunner wheels() {
        return runner.withPropertyValues("millrace.chat.model=" + TestModels.chat(folder), "millrace.engine.threads=2");
    }

    private static Prompt prompt(ChatOptions options) {
        return new Prompt(
                List.of(
                        new SystemMessage("why"),
                        new UserMessage("why"),
                        new AssistantMessage("why"),
                        new UserMessage("why why")),
                options);
    }

    private static String text(ChatResponse response) {
        return Objects.requireNonNull(
                Objects.requireNonNull(response.getResult()).getOutput().getText());
    }

    private static String reason(ChatResponse response) {
        return Objects.requireNonNull(
                Objects.requireNonNull(response.getResult()).getMetadata().getFinishReason());
    }

    @Test
    void anAnswerHasItsTextItsTokensAndItsEnd() {
        wheels().run(context -> {
            ChatModel chat = context.getBean(ChatModel.class);
            assertThat(chat.call("why")).isEqualTo("water drives wheels");
            ChatResponse whole = chat.call(prompt(ChatOptions.builder().build()));
            assertThat(text(whole)).isEqualTo("water drives wheels");
            assertThat(reason(whole)).isEqualTo("STOP");
            assertThat(whole.getMetadata().getUsage().getPromptTokens()).isEqualTo(10);
            assertThat(whole.getMetadata().getUsage().getCompletionTokens()).isEqualTo(4);
            assertThat(whole.getMetadata().getModel())
                    .isEqualTo(folder.getFileName().toString());
            ChatResponse cut =
                    chat.call(prompt(ChatOptions.builder().maxTokens(2).build()));
            assertThat(text(cut)).isEqualTo("water drives");
            assertThat(reason(cut)).isEqualTo("LENGTH");
            ChatResponse stopped = chat.call(prompt(
                    ChatOptions.builder().stopSequences(List.of("drives")).build()));
            assertThat(text(stopped).strip()).isEqualTo("water");
            assertThat(observed)
                    .hasSize(4)
                    .allSatisfy(each -> assertThat(each.getName()).isEqualTo("gen_ai.client.operation"));
        });
    }

    @Test
    void propertiesAreTheOptionsOfRequestsThatDoNotSayOtherwise() {
        wheels().withPropertyValues("millrace.chat.max-tokens=2", "millrace.chat.options.queue=9")
                .run(context -> {
                    ChatModel chat = context.getBean(ChatModel.class);
                    assertThat(chat.call("why")).isEqualTo("water drives");
                    assertThat(text(chat.call(
                                    prompt(ChatOptions.builder().maxTokens(1).build()))))
                            .isEqualTo("water");
                });
    }

    @Test
    void anAnswerIsStreamed() {
        wheels().run(context -> {
            List<ChatResponse> parts = Objects.requireNonNull(context.getBean(ChatModel.class).stream(
                            prompt(ChatOptions.builder().build()))
                    .collectList()
                    .block());
            assertThat(parts).hasSizeGreaterThan(2);
            assertThat(String.join("", parts.stream().map(ChatModelTest::text).toList()))
                    .isEqualTo("water drives wheels");
            assertThat(reason(parts.getLast())).isEqualTo("STOP");
            assertThat(parts.getLast().getMetadata().getUsage().getTotalTokens())
                    .isEqualTo(14);
            // an observation of a stream stops after the last part has arrived
            assertThat(observed.poll(30, TimeUnit.SECONDS)).isNotNull();
        });
    }

    @Test
    void aChatClientStandsAroundTheModel() {
        wheels().run(context -> {
            ChatClient client = context.getBean(ChatClient.Builder.class).build();
            assertThat(client.prompt("why").call().content()).isEqualTo("water drives wheels");
            List<String> parts = Objects.requireNonNull(
                    client.prompt("why").stream().content().collectList().block());
            assertThat(String.join("", parts)).isEqualTo("water drives wheels");
        });
    }

    /** A tool that says the time. */
    public static final class Clock {
        private final List<String> asked = new ArrayList<>();

        @Tool(description = "Says the time")
        public String clock() {
            asked.add("clock");
            return "twelve";
        }
    }

    @Test
    void aChatClientRunsTheToolsThatTheModelCalls() {
        runner.withPropertyValues("millrace.chat.model=" + TestModels.chatWithTool(folder))
                .run(context -> {
                    ChatClient client =
                            context.getBean(ChatClient.Builder.class).build();
                    var clock = new Clock();
                    assertThat(client.prompt("user").tools(clock).call().content())
                            .isEqualTo("noon");
                    assertThat(clock.asked).hasSize(1);
                    List<String> parts = Objects.requireNonNull(client.prompt("user").tools(clock).stream()
                            .content()
                            .collectList()
                            .block());
                    assertThat(String.join("", parts)).isEqualTo("noon");
                    assertThat(clock.asked).hasSize(2);
                });
    }

    @Test
    void imagesAreRefusedInWords() {
        wheels().run(context -> {
            UserMessage picture = UserMessage.builder()
                    .text("why")
                    .media(new Media(MimeTypeUtils.IMAGE_PNG, URI.create("file:wheel.png")))
                    .build();
            assertThatThrownBy(() -> context.getBean(ChatModel.class).call(new Prompt(picture)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("This model reads texts alone; the message of role user has media");
        });
    }

    @Test
    void thereIsNoModelBesideAnotherAndNoneWithoutProperties() {
        runner.run(context -> assertThat(context).doesNotHaveBean(ChatModel.class));
        wheels().withPropertyValues("spring.ai.model.chat=openai")
                .run(context -> assertThat(context).doesNotHaveBean(ChatModel.class));
        wheels().withBean("other", ChatModel.class, () -> prompt -> new ChatResponse(List.of()))
                .run(context ->
                        assertThat(context).hasSingleBean(ChatModel.class).hasBean("other"));
        runner.withPropertyValues("millrace.chat.model=" + folder.resolve("gone"))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("of millrace.chat.model does not open: "));
    }
}
