package dev.millrace.example.spring;

import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.pipelines.text.RankedText;
import java.util.List;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

@SpringBootApplication(proxyBeanMethods = false)
@RestController
public record AnswerService(EmbeddingModel embeddings, CrossEncoder encoder, ChatClient.Builder chat) {
    @PostMapping("/embeddings")
    List<float[]> embed(@RequestBody List<String> texts) {
        return embeddings.embed(texts);
    }

    @PostMapping("/ranks")
    List<RankedText> rank(@RequestParam String query, @RequestBody List<String> passages) {
        return encoder.rank(query, passages);
    }

    @PostMapping(path = "/chat", produces = "text/event-stream")
    Flux<String> answer(@RequestBody String message) {
        return chat.build().prompt(message).stream().content();
    }

    public static void main(String[] arguments) {
        SpringApplication.run(AnswerService.class, arguments);
    }
}
