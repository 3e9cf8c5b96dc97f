package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.ChatTemplate.Options;
import dev.millrace.text.template.Rendered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChatTemplateTest {
    private static final String CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"
            + "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
    private static final List<ChatMessage> CHAT =
            List.of(ChatMessage.system("Be brief."), ChatMessage.user("Hi"), ChatMessage.assistant("Hello, I "));

    private static void refused(ThrowingCallable call, Status status, String why) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContaining(why);
    }

    @Test
    void thePromptEndsWithTheBeginningOfAnAnswer() {
        assertThat(ChatTemplate.of(CHATML).render(List.of(ChatMessage.user("Hi"))))
                .isEqualTo("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
    }

    @Test
    void theBeginningOfAnAnswerCanBeLeftOut() {
        Options options = Options.builder().addGenerationPrompt(false).build();
        assertThat(ChatTemplate.of(CHATML).render(List.of(ChatMessage.user("Hi")), options))
                .isEqualTo("<|im_start|>user\nHi<|im_end|>\n");
    }

    @Test
    void theLastMessageCanBeContinued() {
        Options options = Options.builder().continueFinalMessage(true).build();
        assertThat(ChatTemplate.of(CHATML).render(CHAT, options)).endsWith("<|im_start|>assistant\nHello, I ");
        String trimming = CHATML.replace("m.content", "m.content | trim");
        assertThat(ChatTemplate.of(trimming).render(CHAT, options)).endsWith("<|im_start|>assistant\nHello, I");
        refused(
                () -> ChatTemplate.of("nothing").render(CHAT, options),
                Status.INVALID_ARGUMENT,
                "is not in the prompt, so it cannot be continued");
        refused(
                () -> ChatTemplate.of(CHATML).render(List.of(), options),
                Status.INVALID_ARGUMENT,
                "there is no last message to continue");
    }

    @Test
    void theLastOfSeveralPartsCanBeContinued() {
        var message = ChatMessage.builder("assistant")
                .parts(List.of(Map.of("type", "text", "text", "one "), Map.of("type", "text", "text", "two")))
                .build();
        String template = "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}<end>{% endfor %}";
        Options options = Options.builder().continueFinalMessage(true).build();
        assertThat(ChatTemplate.of(template).render(List.of(message), options)).isEqualTo("one two");
    }

    @Test
    void partsThatAreNoTextAreRefusedInWords() {
        ChatTemplate template = ChatTemplate.of(CHATML);
        for (String type : List.of("image", "image_url")) {
            var message = ChatMessage.builder("user")
                    .parts(List.of(Map.of("type", "text", "text", "Look"), Map.of("type", type)))
                    .build();
            refused(
                    () -> template.render(List.of(ChatMessage.user("a"), message)),
                    Status.INVALID_ARGUMENT,
                    "message 1 has a part of the type '" + type + "'; images are not supported");
        }
        var audio = ChatMessage.builder("user")
                .parts(List.of(Map.of("type", "audio")))
                .build();
        refused(() -> template.render(List.of(audio)), Status.INVALID_ARGUMENT, "'audio'; parts are texts");
    }

    @Test
    void aTemplateSeesAllFieldsOfAMessage() {
        var call = Map.of("function", Map.of("name", "f", "arguments", Map.of("x", 1, "y", 2.5f)));
        var message = ChatMessage.builder("assistant")
                .toolCalls(List.of(call))
                .name("Ann")
                .field("reasoning_content", "Hm")
                .build();
        String template = "{% set m = messages[0] %}{{ m.tool_calls[0].function.arguments | tojson(sort_keys=true) }}"
                + "{{ m.content is none }}{{ m.name }}{{ m.reasoning_content }}{{ messages[1].tool_call_id }}";
        assertThat(ChatTemplate.of(template).render(List.of(message, ChatMessage.tool("id7", "21"))))
                .isEqualTo("{\"x\": 1, \"y\": 2.5}TrueAnnHmid7");
        assertThat(message.toBuilder().build()).isEqualTo(message);
    }

    @Test
    void messagesAndOptionsAreSnapshots() {
        var field = new HashMap<String, Object>(Map.of("a", "before"));
        var message = ChatMessage.builder("user").field("f", field).build();
        Options options = Options.builder().variable("v", field).build();
        field.put("a", "after");
        assertThat(ChatTemplate.of("{{ messages[0].f.a }} {{ v.a }}").render(List.of(message), options))
                .isEqualTo("before before");
        assertThat(options.toBuilder().build()).isEqualTo(options);
    }

    @Test
    void valuesOfOtherTypesAreRefused() {
        refused(
                () -> Options.builder().variable("v", new Object()),
                Status.INVALID_ARGUMENT,
                "'v' has a value of the type java.lang.Object; templates take strings, numbers, booleans");
        refused(
                () -> ChatMessage.user("a").toBuilder().field("f", Map.of(1, 2)),
                Status.INVALID_ARGUMENT,
                "'f' has a key that is no string");
        var loop = new HashMap<String, Object>();
        loop.put("again", loop);
        refused(() -> Options.builder().variable("v", loop), Status.INVALID_ARGUMENT, "nested more than 100 deep");
        refused(
                () -> Options.builder().variable("messages", 1).build(),
                Status.INVALID_ARGUMENT,
                "the variable 'messages' has an option of its own");
        refused(
                () -> new ChatMessage("user", 5, List.of(), null, null, Map.of()),
                Status.INVALID_ARGUMENT,
                "a text or a list of parts");
        refused(
                () -> ChatTemplate.of("a").render(Arrays.asList(CHAT.getFirst(), null)),
                Status.INVALID_ARGUMENT,
                "the element 1 of 'messages' is null");
    }

    @Test
    void withoutToolsTheVariableIsNone() {
        String template = "{{ tools is none }}{{ documents is none }}{{ tools | length if tools }}";
        Options options = Options.builder().tools(List.of(Map.of("name", "f"))).build();
        assertThat(ChatTemplate.of(template).render(CHAT)).isEqualTo("TrueTrue");
        assertThat(ChatTemplate.of(template).render(CHAT, options)).isEqualTo("FalseTrue1");
    }

    @Test
    void datesComeFromTheClock() {
        String template = "{{ strftime_now('%d %b %Y, %A %-d %B %y %H:%M:%S %I %p %j %F %e %%') }}";
        Options options = Options.builder().clock(Rendered.CLOCK).build();
        assertThat(ChatTemplate.of(template).render(CHAT, options))
                .isEqualTo("09 Jul 2024, Tuesday 9 July 24 08:05:03 08 AM 191 2024-07-09  9 %");
        refused(
                () -> ChatTemplate.of("{{ strftime_now('%Q') }}").render(CHAT),
                Status.INVALID_ARGUMENT,
                "'strftime_now' knows no directive '%Q'");
    }

    @Test
    void aFailureOfTheTemplateSaysWhereAndWhy() {
        refused(
                () -> ChatTemplate.of("a\nb {{ raise_exception('Only users may ask') }}")
                        .render(CHAT),
                Status.INVALID_ARGUMENT,
                "chat template: line 2, column 21: Only users may ask");
        refused(
                () -> ChatTemplate.of("a\n\n{{ b | foo }}"),
                Status.INVALID_ARGUMENT,
                "chat template: line 3, column 8: there is no filter 'foo'");
        refused(
                () -> ChatTemplate.of("{{ messages[0].contents.x }}").render(CHAT),
                Status.INVALID_ARGUMENT,
                "a dict has no attribute 'contents'");
    }

    @Test
    void aRenderingCanBeCancelledAndBounded() {
        ChatTemplate template = ChatTemplate.of("{% for i in range(10000) %}{% set x = i %}{% endfor %}");
        var cancellation = new Cancellation();
        cancellation.cancel();
        Options cancelled = Options.builder().cancellation(cancellation).build();
        refused(() -> template.render(CHAT, cancelled), Status.CANCELLED, "cancelled");
        Options bounded = Options.builder().maxSteps(1000).build();
        refused(() -> template.render(CHAT, bounded), Status.INVALID_ARGUMENT, "takes more than 1000 steps");
        assertThat(template.render(CHAT)).isEmpty();
    }

    @Test
    void aFolderHasATemplateAndSpecialTokens(@TempDir Path folder) throws IOException {
        Path configuration = folder.resolve("tokenizer_config.json");
        Files.writeString(configuration, """
            {"chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}",
             "bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false}, "pad_token": null}\
            """);
        assertThat(ChatTemplate.read(folder).render(CHAT)).isEqualTo("<s>Be brief.</s>");
        Options options = Options.builder().variable("bos_token", "<b>").build();
        assertThat(ChatTemplate.read(folder).render(CHAT, options)).isEqualTo("<b>Be brief.</s>");
        Files.writeString(folder.resolve("chat_template.jinja"), "{{ eos_token }} from the file\n");
        assertThat(ChatTemplate.read(folder).render(CHAT)).isEqualTo("</s> from the file");
    }

    @Test
    void aFolderMayHaveATemplateForTools(@TempDir Path folder) throws IOException {
        Path configuration = folder.resolve("tokenizer_config.json");
        Files.writeString(configuration, """
            {"chat_template": [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]}\
            """);
        Options options = Options.builder().tools(List.of(Map.of("name", "f"))).build();
        assertThat(ChatTemplate.read(folder).render(CHAT)).isEqualTo("plain");
        assertThat(ChatTemplate.read(folder).render(CHAT, options)).isEqualTo("tools");
        Files.writeString(configuration, "{\"chat_template\": [{\"name\": \"rag\", \"template\": \"r\"}]}");
        refused(
                () -> ChatTemplate.read(folder).render(CHAT),
                Status.INVALID_ARGUMENT,
                "no template is called 'default'; there are [rag]");
    }

    @Test
    void aFolderWithoutATemplateIsRefused(@TempDir Path folder) throws IOException {
        refused(() -> ChatTemplate.read(folder), Status.NO_SUCH_FILE, "has no chat template");
        refused(() -> ChatTemplate.read(folder.resolve("x")), Status.NO_SUCH_FILE, "there is no folder");
        Path configuration = folder.resolve("tokenizer_config.json");
        Files.writeString(configuration, "{\"chat_template\": 5}");
        refused(() -> ChatTemplate.read(folder), Status.INVALID_ARGUMENT, "chat_template: '5.0' stands where a list");
        Files.writeString(configuration, "{\"chat_template\": \"{{ a\"}");
        refused(
                () -> ChatTemplate.read(folder),
                Status.INVALID_ARGUMENT,
                "tokenizer_config.json.chat_template: line 1, column 1: the tag has no end");
    }
}
