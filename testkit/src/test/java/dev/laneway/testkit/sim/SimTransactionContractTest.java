package dev.laneway.testkit.sim;

import dev.laneway.testkit.ContractCluster;
import dev.laneway.testkit.TransactionContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: transactions")
class SimTransactionContractTest extends TransactionContract {
    @Override
    public ContractCluster connect() {
        return new SimContractCluster();
    }
}
