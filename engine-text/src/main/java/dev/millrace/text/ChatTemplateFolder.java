package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.text.json.Json;
import dev.millrace.text.json.JsonFile;
import dev.millrace.text.template.Template;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the chat templates and the special tokens of a model's folder. */
final class ChatTemplateFolder {
    private static final String TEMPLATE_FILE = "chat_template.jinja";
    private static final String CONFIGURATION = "tokenizer_config.json";
    private static final String TEMPLATE = "chat_template";
    private static final List<String> SPECIAL = List.of("bos_token", "eos_token", "pad_token", "unk_token");

    private ChatTemplateFolder() {}

    static ChatTemplate read(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no folder " + folder);
        }
        Path file = folder.resolve(TEMPLATE_FILE);
        Json configuration = configuration(folder.resolve(CONFIGURATION));
        Map<String, Template> templates =
                Files.exists(file) ? Map.of(ChatTemplate.DEFAULT, template(file)) : templates(configuration);
        if (templates.isEmpty()) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "the folder " + folder + " has no chat template: there is no file " + TEMPLATE_FILE
                            + ", and no field '" + TEMPLATE + "' in a file " + CONFIGURATION);
        }
        return new ChatTemplate(templates, specialTokens(configuration));
    }

    private static @Nullable Json configuration(Path file) {
        String name = "file " + file;
        return Files.exists(file) ? Json.parse(JsonFile.content(file, name), name) : null;
    }

    private static Template template(Path file) {
        String name = "file " + file;
        String jinja = new String(JsonFile.content(file, name), StandardCharsets.UTF_8);
        return ChatTemplate.parsed(jinja, name);
    }

    /** Returns the templates of the configuration: one text, or a list of names and texts. */
    private static Map<String, Template> templates(@Nullable Json configuration) {
        if (configuration == null || configuration.get(TEMPLATE).isNull()) {
            return Map.of();
        }
        Json field = configuration.get(TEMPLATE);
        if (field.isText()) {
            return Map.of(ChatTemplate.DEFAULT, parsed(field));
        }
        var all = new LinkedHashMap<String, Template>();
        for (Json each : field.elements()) {
            all.put(each.get("name").text(), parsed(each.get("template")));
        }
        return all;
    }

    private static Template parsed(Json field) {
        try {
            return Template.parse(field.text());
        } catch (EngineException e) {
            throw field.located(e);
        }
    }

    /** Returns the special tokens: texts, or objects with a field {@code content}. */
    private static Map<String, String> specialTokens(@Nullable Json configuration) {
        var tokens = new LinkedHashMap<String, String>();
        for (String name : SPECIAL) {
            Json field = configuration == null ? null : configuration.get(name);
            if (field != null && !field.isNull()) {
                tokens.put(name, field.isObject() ? field.get("content").text() : field.text());
            }
        }
        return tokens;
    }
}
