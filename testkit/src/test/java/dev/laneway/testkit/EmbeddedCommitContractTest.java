package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on a real broker: commits")
class EmbeddedCommitContractTest extends CommitContract {
    @Override
    public ContractCluster connect() {
        return new EmbeddedContractCluster(EmbeddedKafka.shared());
    }
}
