package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on a real broker: fetches")
class EmbeddedFetchContractTest extends FetchContract {
    @Override
    public ContractCluster connect() {
        return new EmbeddedContractCluster(EmbeddedKafka.shared());
    }
}
