package dev.millrace.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The constraints of answers that requests asked for last. */
final class AnswerConstraints {
    private static final int KEPT = 16;
    private static final String ANY = "";

    private final Tokenizer tokenizer;
    private final Map<String, TextConstraint> kept = new LinkedHashMap<>(KEPT, 0.75f, true);

    AnswerConstraints(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** Returns the constraint of a JSON format. */
    TextConstraint of(ResponseFormat format) {
        return of(
                format.jsonSchema() == null
                        ? ANY
                        : Json.toJson(
                                JsonSchemaElementUtils.toMap(format.jsonSchema().rootElement())));
    }

    /** Returns the constraint of an answer that calls one of these tools. */
    TextConstraint ofCall(List<ToolSpecification> tools) {
        return of(Json.toJson(ToolConversion.call(tools)));
    }

    private synchronized TextConstraint of(String schema) {
        TextConstraint known = kept.get(schema);
        if (known == null) {
            known = schema.equals(ANY) ? TextConstraint.json(tokenizer) : TextConstraint.jsonSchema(tokenizer, schema);
            kept.put(schema, known);
            if (kept.size() > KEPT) {
                kept.remove(kept.keySet().iterator().next());
            }
        }
        return known;
    }
}
