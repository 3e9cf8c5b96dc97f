package dev.millrace.example.webflux;

import dev.millrace.session.Inference;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;

@SpringBootApplication
@RestController
public class EmbeddingService {
    private final Embedder embedder;

    EmbeddingService(Inference session, @Value("${tokenizer}") String tokenizer) throws IOException {
        embedder = Embedder.of(session, Tokenizer.read(Path.of(tokenizer)).paddedTo(0));
    }

    @PostMapping(path = "/embeddings", produces = MediaType.APPLICATION_NDJSON_VALUE)
    Flux<float[]> embeddings(@RequestBody Flux<String> texts) {
        return embedder.flux(texts);
    }

    public static void main(String[] arguments) {
        SpringApplication.run(EmbeddingService.class, arguments);
    }
}
